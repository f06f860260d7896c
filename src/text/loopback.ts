/**
 * Expects a host as `URL` writes it: every IPv4 address, even `127.1`, has four numbers. An IPv6
 * address may lack its brackets.
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(host);
}
