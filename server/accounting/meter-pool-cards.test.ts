import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { ChargeDraft } from "./amounts.ts";
import { bucketStartMs, dayKey, type Interval, splitAtHours } from "./calendar.ts";
import { correctPool, type PostedMoney } from "./correct-pool.ts";
import { meterPool, type OwnedPool, type OwnedUse } from "./meter-pool.ts";
import { cardCost, type EffectiveCard, splitAtCards } from "./owned-cost.ts";
import { aPool, aUse, sumOf, T0 } from "./testing/build.ts";
import { aCard, anAsset } from "./testing/cards.ts";
import { calendarOf, UTC } from "./zone.ts";

const money = (charges: readonly ChargeDraft[]) => sumOf(charges, (c) => c.effectiveMicroUsd);
/** $35,040 a year is $4 an hour in 2026 (8,760 h). */
const fourDollars = cardCost(aCard({ staffUsd: "35040" }), UTC);
const eightDollars = cardCost(aCard({ staffUsd: "70080" }), UTC);

describe("a pool with rate cards, worked by hand", () => {
	it("a card changed mid-job: 4 GPUs for $4/h, from 10:30 on $8/h; a job on one of them: 30 min × $1 + 30 min × $2 = $1.50, idle $4.50, owned $6", () => {
		const cards = [
			{ fromMs: T0 - HOUR_MS, cost: fourDollars },
			{ fromMs: T0 + 30 * MINUTE_MS, cost: eightDollars },
		];
		const { charges } = meterPool(aPool({ cards }), [aUse()], T0 + HOUR_MS);
		expect(charges.map((c) => [c.dimensions.kind, c.effectiveMicroUsd])).toEqual([
			["compute", 1_500_000n],
			["idle", 4_500_000n],
		]);
	});

	it("before its first card the flat price applies: 30 min × $0.60 + 30 min × $1 = $0.80", () => {
		const pool = aPool({ microUsdPerGpuHour: 600_000n, cards: [{ fromMs: T0 + 30 * MINUTE_MS, cost: fourDollars }] });
		const { charges } = meterPool(pool, [aUse({ microUsdPerGpuHour: 600_000n })], T0 + HOUR_MS);
		expect(charges.map((c) => c.effectiveMicroUsd)).toEqual([800_000n, 2_400_000n]);
	});

	it("a busy GPU draws more: 2 of 4 at 700 W, 2 at 80 W, PUE 1.5, $0.10/kWh: 2 × 0.105 used + 2 × 0.012 idle = $0.234", () => {
		const power = { busyWattsPerGpu: "700", idleWattsPerGpu: "80", pue: "1.5", electricityUsdPerKwh: "0.10" };
		const pool = aPool({ cards: [{ fromMs: 0, cost: cardCost(aCard({ power }), UTC) }] });
		const { charges } = meterPool(pool, [aUse({ slots: [1, 3] })], T0 + HOUR_MS);
		expect(charges.map((c) => c.effectiveMicroUsd)).toEqual([210_000n, 24_000n]);
	});

	it("3 GPUs share $1.000001: slots pay 333,333 and 333,334 and 333,334 µ$, without loss", () => {
		const cost = {
			fixedUntil: (atMs: number) => (atMs > T0 ? 1_000_001n : 0n),
			powerUntil: () => 0n,
			powerAt: () => 0n,
			powerPerHour: () => 0n,
		};
		const uses = [0, 1, 2].map((slot) => aUse({ allocationId: `alc_${slot}`, slots: [slot] }));
		const { charges } = meterPool(aPool({ gpus: 3, cards: [{ fromMs: 0, cost }] }), uses, T0 + HOUR_MS);
		expect(charges.map((c) => c.effectiveMicroUsd)).toEqual([333_333n, 333_334n, 333_334n]);
	});

	it("the whole of February 2024 idle: 29 days × $10 depreciation + $290 staff = $580.000000", () => {
		const from = Date.parse("2024-02-01");
		const cards = [{ fromMs: 0, cost: cardCost(aCard({ assets: [anAsset()], staffUsd: "3660" }), UTC) }];
		expect(money(meterPool(aPool({ cards, ownedSinceMs: from, gpus: 7 }), [], Date.parse("2024-03-01")).charges)).toBe(580_000_000n);
	});
});

describe("a pool over a change of clocks", () => {
	it("Berlin's 2026-03-29 has 23 hours: $10 depreciation + 23 × $4 = $102; the days around it have 24: $10 + 24 × $4 = $106", () => {
		const calendar = calendarOf("Europe/Berlin");
		const cost = cardCost(aCard({ assets: [anAsset()], staffUsd: "35040" }), calendar);
		const [from, to] = [Date.parse("2026-03-27T23:00Z"), Date.parse("2026-03-30T22:00Z")];
		const { charges } = meterPool(aPool({ calendar, ownedSinceMs: from, cards: [{ fromMs: 0, cost }] }), [], to);
		const days = Map.groupBy(charges, (c) => dayKey(c.periodStartMs, calendar));
		expect([...days].map(([day, list]) => [day, list.length, money(list)])).toEqual([
			["2026-03-28", 24, 106_000_000n],
			["2026-03-29", 23, 102_000_000n],
			["2026-03-30", 24, 106_000_000n],
		]);
	});
});

describe("a retroactive card change, worked by hand", () => {
	it("$4/h charged from 10:00 to 11:00, then $8/h from 10:30 on: + $0.50 for the job, + $1.50 idle, and nothing the second time", () => {
		const pool = aPool({ cards: [{ fromMs: 0, cost: fourDollars }] });
		const { charges, idleMeteredUntilMs } = meterPool(pool, [aUse()], T0 + HOUR_MS);
		const after = { ...pool, idleMeteredUntilMs, cards: [...pool.cards, { fromMs: T0 + 30 * MINUTE_MS, cost: eightDollars }] };
		const use = aUse({ meteredUntilMs: T0 + HOUR_MS });
		const corrections = correctPool(after, [use], charges.map(toPosted), { sinceMs: T0 + 30 * MINUTE_MS, was: pool });
		expect(corrections.map((c) => [c.dimensions.kind, c.correction, c.allocationId, c.poolId, c.effectiveMicroUsd, c.gpuMs])).toEqual([
			["adjustment", "rate_card", "alc_1", null, 500_000n, 0n],
			["adjustment", "rate_card", null, "gpu", 1_500_000n, 0n],
		]);
		expect(correctPool(after, [use], [...charges, ...corrections].map(toPosted), { sinceMs: T0 + 30 * MINUTE_MS, was: after })).toEqual([]);
	});
});

function toPosted(c: ChargeDraft): PostedMoney {
	return { causeId: c.allocationId ?? c.poolId ?? "", atMs: c.periodStartMs, effectiveMicroUsd: c.effectiveMicroUsd };
}

describe("pool with rate cards: properties", () => {
	const slot = fc.record({
		startMs: fc.integer({ min: 0, max: 20 * HOUR_MS }),
		lengthMs: fc.integer({ min: 1, max: 8 * HOUR_MS }),
		seenLate: fc.integer({ min: 0, max: 2 }),
	});
	const card = fc
		.record({
			atMs: fc.integer({ min: -HOUR_MS, max: 20 * HOUR_MS }),
			staff: fc.integer({ min: 0, max: 999_999 }),
			price: fc.integer({ min: 0, max: 99_999_999 }),
			busy: fc.integer({ min: 300, max: 900 }),
			zone: fc.constantFrom("UTC", "Asia/Kolkata"),
		})
		.map(
			(c): EffectiveCard => ({
				fromMs: T0 + c.atMs,
				cost: cardCost(
					aCard({
						staffUsd: String(c.staff),
						assets: [anAsset({ priceUsd: (c.price / 100).toFixed(2), inServiceOn: "2026-11-10", lifeMonths: 1 })],
						power: { busyWattsPerGpu: String(c.busy), idleWattsPerGpu: "77", pue: "1.37", electricityUsdPerKwh: "0.113" },
					}),
					calendarOf(c.zone),
				),
			}),
		);
	const cards = fc.array(card, { maxLength: 4 }).map((list) => list.sort((a, b) => a.fromMs - b.fromMs));
	const steps = fc.array(fc.integer({ min: 1, max: 6 * HOUR_MS }), { minLength: 1, maxLength: 8 });
	const slots = fc.array(slot, { maxLength: 6 });

	/** Cost of the pool since T0: its fixed cost, every GPU's idle power, and the additional power of busy GPUs. */
	function owed(pool: OwnedPool, uses: readonly OwnedUse[], untilMs: number): bigint {
		const line = (interval: { fromMs: number; toMs: number }, of: (part: EffectiveCard["cost"], a: number, b: number) => bigint) =>
			splitAtCards(pool.cards, interval).reduce((sum, p) => sum + (p.cost ? of(p.cost, p.fromMs, p.toMs) : 0n), 0n);
		const fixed = line({ fromMs: T0, toMs: untilMs }, (c, a, b) => c.fixedUntil(b) - c.fixedUntil(a));
		const ofHour = (cost: EffectiveCard["cost"], load: "busy" | "idle", { fromMs, toMs }: Interval) => {
			const hourMs = bucketStartMs("hour", fromMs);
			const price = pool.electricityHours?.get(hourMs);
			if (price === undefined) return cost.powerUntil(load, toMs) - cost.powerUntil(load, fromMs);
			return cost.powerAt(load, price, toMs - hourMs) - cost.powerAt(load, price, fromMs - hourMs);
		};
		const power = (load: "busy" | "idle", fromMs: number, toMs: number) =>
			line({ fromMs, toMs }, (c, a, b) => splitAtHours({ fromMs: a, toMs: b }).reduce((all, piece) => all + ofHour(c, load, piece), 0n));
		let sum = fixed + BigInt(pool.gpus) * power("idle", T0, untilMs);
		for (const use of uses) {
			const until = use.meteredUntilMs ?? use.startMs;
			sum += power("busy", use.startMs, until) - power("idle", use.startMs, until);
		}
		return sum;
	}

	const priced = fc
		.dictionary(fc.integer({ min: -2, max: 40 }).map(String), fc.bigInt({ min: -500_000n, max: 3_000_000n }), { maxKeys: 12 })
		.map((hours) => new Map(Object.entries(hours).map(([n, price]) => [T0 + Number(n) * HOUR_MS, price])));

	it("used + idle = depreciation + running cost at every moment, whatever hourly prices are, even when starts and ends are learned late", () => {
		fc.assert(
			fc.property(slots, cards, steps, priced, (list, changes, lengths, electricityHours) => {
				const gpus = list.length + 1;
				let pool = aPool({ gpus, microUsdPerGpuHour: 0n, cards: changes, electricityHours, calendar: calendarOf("Asia/Kolkata") });
				const done = new Map<string, number>();
				const all: ChargeDraft[] = [];
				let nowMs = T0;
				const rounds = lengths.map((step) => {
					nowMs += step;
					return nowMs;
				});
				for (const [round, untilMs] of rounds.entries()) {
					const knownUntil = (late: number) => rounds[Math.max(0, round - late)] ?? nowMs;
					const uses = list.flatMap(({ startMs, lengthMs, seenLate }, i): OwnedUse[] => {
						const [start, end] = [T0 + startMs, T0 + startMs + lengthMs];
						if (start > knownUntil(seenLate) || start > untilMs) return [];
						const ended = end <= knownUntil(seenLate) && end <= untilMs;
						const id = `alc_${i}`;
						const at = { startMs: start, endMs: ended ? end : null, meteredUntilMs: done.get(id) ?? null };
						return [aUse({ allocationId: id, microUsdPerGpuHour: 0n, slots: [i], ...at })];
					});
					const metered = meterPool(pool, uses, untilMs);
					for (const [id, ms] of metered.usesMeteredUntilMs) done.set(id, ms);
					all.push(...metered.charges);
					pool = { ...pool, idleMeteredUntilMs: metered.idleMeteredUntilMs };
					const known = uses.map((u) => ({ ...u, meteredUntilMs: done.get(u.allocationId) ?? null }));
					expect(money(all)).toBe(owed(pool, known, untilMs));
					expect(sumOf(all, (c) => c.gpuMs)).toBe(BigInt(gpus) * BigInt(untilMs - T0));
				}
			}),
		);
	});

	it("a retroactive card gives, for each cause, the charges that it would have given from the start", () => {
		fc.assert(
			fc.property(slots, cards, card, steps, (list, before, late, lengths) => {
				const zone = calendarOf("Asia/Kolkata");
				const after = [...before.filter((c) => c.fromMs !== late.fromMs), late].sort((a, b) => a.fromMs - b.fromMs);
				const uses = list.map(({ startMs, lengthMs }, i) =>
					aUse({ allocationId: `alc_${i}`, slots: [i], startMs: T0 + startMs, endMs: T0 + startMs + lengthMs }),
				);
				const shape = { gpus: list.length + 1, calendar: zone };
				const untilMs = T0 + lengths.reduce((a, b) => a + b, 0);
				const known = uses.filter((u) => u.startMs <= untilMs);
				const first = meterPool(aPool({ ...shape, cards: before }), known, untilMs);
				const metered = known.map((u) => ({ ...u, meteredUntilMs: first.usesMeteredUntilMs.get(u.allocationId) ?? null }));
				const pool = aPool({ ...shape, cards: after, idleMeteredUntilMs: first.idleMeteredUntilMs });
				const posted = first.charges.map(toPosted).filter((p) => p.atMs >= late.fromMs - HOUR_MS);
				const corrections = correctPool(pool, metered, withinHour(posted, late.fromMs), {
					sinceMs: late.fromMs,
					was: { ...pool, cards: before },
				});
				const right = meterPool(aPool({ ...shape, cards: after }), known, untilMs).charges;
				const byCause = (charges: readonly ChargeDraft[]) =>
					Object.fromEntries(
						[...Map.groupBy(charges, (c) => c.allocationId ?? c.poolId ?? "")]
							.map(([id, list]) => [id, money(list)] as const)
							.sort(([a], [b]) => (a < b ? -1 : 1)),
					);
				expect(byCause([...first.charges, ...corrections])).toEqual(byCause(right));
			}),
		);
	});

	/** The amount in the hours of Kolkata's calendar from the instant's own on; its midnights split UTC hours in two. */
	function withinHour(posted: readonly PostedMoney[], sinceMs: number): PostedMoney[] {
		const half = HOUR_MS / 2;
		const hour = Math.floor(sinceMs / HOUR_MS) * HOUR_MS;
		const midnight = new Date(hour).getUTCHours() === 18 && sinceMs >= hour + half ? hour + half : hour;
		return posted.filter((p) => p.atMs >= midnight);
	}
});
