import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RejectedError, StillInProgressError, UsageError } from '../../src/errors.ts';
import { errorJson, errorText } from '../../src/ui/error-text.ts';
import { plainStyle } from '../../src/ui/style.ts';

describe('for people', () => {
  test.each([
    [
      new UsageError('No metric "clics".', { hint: 'Did you mean clicks?' }),
      'adreport: No metric "clics".\n  Did you mean clicks?',
    ],
    [new UsageError('No window was given.'), 'adreport: No window was given.'],
    [
      new RejectedError('The service said: \u001b[2Jno\nadreport: done'),
      'adreport: The service said: ␛[2Jno\n  adreport: done',
    ],
  ])('%s', (error, expected) => {
    expect(errorText(error, plainStyle)).toBe(expected);
  });

  test('what is not ours is a bug here, told without a stack trace', () => {
    const text = errorText(new TypeError('x is not a function'), plainStyle);
    expect(text).toMatch(/^adreport: TypeError: x is not a function\n {2}This is a bug in adreport/);
    expect(text).not.toMatch(/\n\s+at /);
    expect(errorText('thrown text', plainStyle)).toContain('adreport: thrown text\n');
  });
});

describe('for programs', () => {
  test('every member is there', () => {
    const error = new StillInProgressError('Not ready after 30 min.', {
      hint: 'adreport status 7 --wait',
      reportId: '7',
    });
    expect(JSON.parse(errorJson(error))).toEqual({
      error: {
        code: 'STILL_IN_PROGRESS',
        message: 'Not ready after 30 min.',
        hint: 'adreport status 7 --wait',
        retryable: true,
        exitCode: 7,
        reportId: '7',
      },
    });
    expect(JSON.parse(errorJson(new UsageError('No.')))).toEqual({
      error: { code: 'USAGE', message: 'No.', hint: null, retryable: false, exitCode: 2, reportId: null },
    });
    expect(JSON.parse(errorJson(new TypeError('x'))).error).toMatchObject({
      code: 'BUG',
      exitCode: 1,
      retryable: false,
    });
  });

  test('one line that steers no terminal, and that says what the message said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (message) => {
        const line = errorJson(new RejectedError(message));
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        expect(JSON.parse(line).error.message).toBe(message);
      }),
    );
  });
});
