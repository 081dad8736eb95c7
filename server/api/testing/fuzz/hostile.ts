import type { Random } from "#server/kernel/random.ts";

/** Texts that once caused a bug, or that parsers, file systems and databases treat specially. */
const TEXTS: readonly string[] = [
	"",
	" ",
	"\u0000",
	"a\u0000b",
	"\u001b[31m",
	"\u202e",
	"\ud800",
	"😀",
	"é".repeat(300),
	"x".repeat(256),
	"x".repeat(5_000),
	"__proto__",
	"constructor",
	"toString",
	"../../../etc/passwd",
	"..",
	".",
	"/",
	"a/b",
	"%00",
	"%",
	"'; drop table job; --",
	"' or 1=1",
	'"',
	"\\",
	"=cmd|' /C calc'!A0",
	"<script>alert(1)</script>",
	"1.5",
	"-1",
	"1e10",
	"0x10",
	"99999999999999999999",
	"NaN",
	"null",
	"true",
	"9999-12-31T23:59:59.999Z",
	"+275760-09-13T00:00:00.000Z",
	"0000-01-01",
	"2026-02-30",
	"2026-13-01",
	"9999-12",
	"-271821-04-20T00:00:00Z",
	"http://",
	"http://[::1",
	"https://user@host:99999/",
	"s3://",
	"*",
	"a: [",
	"&a [*a]",
	"{{}}",
	"$(x)",
	"[]",
	"(".repeat(500),
	"a.b.c.d",
	"1h",
	"999999999999h",
	"-5m",
	"🏳️‍🌈@example.test",
	"a@b",
];

const NUMBERS: readonly number[] = [
	0,
	-0,
	1,
	-1,
	0.5,
	1.5,
	1e-10,
	255,
	256,
	2 ** 31 - 1,
	2 ** 31,
	-(2 ** 31) - 1,
	2 ** 53,
	2 ** 63,
	1e10,
	1e15,
	8.64e15,
	8.64e15 + 1,
	-8.64e15,
	253_402_300_799_999,
	253_402_300_800_000,
	1e300,
	-1e300,
];

const KEYS: readonly string[] = ["__proto__", "constructor", "id", "name", "", "\u0000", "spec", "x".repeat(300), "items", "metadata"];

export function hostileText(random: Random): string {
	return random.next() < 0.8 ? random.pick(TEXTS) : randomText(random);
}

export function hostileNumber(random: Random): number {
	return random.pick(NUMBERS);
}

function randomText(random: Random): string {
	return String.fromCharCode(...Array.from({ length: random.int(1, 40) }, () => random.int(0, random.next() < 0.8 ? 127 : 0xffff)));
}

/** Any JSON value, usually of the wrong type. */
export function hostileValue(random: Random, depth = 3): unknown {
	const kind = random.int(0, depth > 0 ? 6 : 4);
	if (kind === 0) return null;
	if (kind === 1) return random.next() < 0.5;
	if (kind === 2) return hostileNumber(random);
	if (kind <= 4) return hostileText(random);
	if (kind === 5) return Array.from({ length: random.int(0, 4) }, () => hostileValue(random, depth - 1));
	return Object.fromEntries(Array.from({ length: random.int(0, 4) }, () => [random.pick(KEYS), hostileValue(random, depth - 1)]));
}
