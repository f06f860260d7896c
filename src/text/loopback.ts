/**
 * Returns true if a host, as `URL` writes it, is this machine. `URL` writes every IPv4 address as
 * four numbers, even `127.1`. An IPv6 address may lack its brackets.
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(host);
}
