import type { BreakdownFields, MetricFields, Profile } from './vocabulary.ts';

/** A row whose fields are unknown at compile time. */
export type AnyRow = Readonly<Record<string, string | number | null>>;

/** `true` for literal names, `false` for the type `string`. */
type IsLiteral<Names> = [Names] extends [never] ? true : string extends Names ? false : true;

/** Shows the members of a computed type in editors. */
type Flat<Type> = { readonly [Name in keyof Type]: Type[Name] };

type KnownRow<AnyProfile extends Profile, By, Metrics> = Flat<
  BreakdownFields<By> & MetricFields<AnyProfile, Metrics>
>;

/** Type of a row, inferred from profile, breakdowns and metrics if they are literals. */
export type RowOf<AnyProfile extends Profile, By, Metrics> = [
  IsLiteral<By>,
  IsLiteral<Metrics>,
  [Profile] extends [AnyProfile] ? false : true,
] extends [true, true, true]
  ? KnownRow<AnyProfile, By, Metrics>
  : AnyRow;
