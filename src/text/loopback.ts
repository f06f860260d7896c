/**
 * Returns true if a host, in the form of `URL`, is this machine. `URL` turns every IPv4 address
 * into four numbers (`127.1`, `0x7f000001`). IPv6 may lack its brackets.
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(host);
}
