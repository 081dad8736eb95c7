import type { Random } from "#server/kernel/random.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

/** Ids of the same form as kernel/ids newId, drawn from the seed. */
export function simId(prefix: string, nowMs: number, random: Random): string {
	let time = "";
	for (let t = Math.floor(nowMs), i = 0; i < 10; i++, t = Math.floor(t / 32)) time = CROCKFORD[t % 32] + time;
	let tail = "";
	for (let i = 0; i < 16; i++) tail += CROCKFORD[Math.floor(random.next() * 32)];
	return `${prefix}_${time}${tail}`;
}
