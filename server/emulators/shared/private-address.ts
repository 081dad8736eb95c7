import { hash32 } from "#server/kernel/random.ts";

/** 127.0.0.0/8 is this host, so each machine gets an address that its peers can really reach. */
export function privateAddressOf(instanceId: string): string {
	const h = hash32(instanceId);
	return `127.${1 + (h % 254)}.${(h >>> 8) % 256}.${1 + ((h >>> 16) % 254)}`;
}
