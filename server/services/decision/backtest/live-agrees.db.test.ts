import { afterEach, describe, expect, it } from "vitest";
import { type JobChanges, World } from "#server/control-loop/testing/world.ts";
import { MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { loadHistory } from "./load-history.ts";

const TICK_MS = 2 * SECOND_MS;

/** Two slots and one-minute jobs; a rule sends jobs with a wait of more than 10 s to the cloud. Seconds from the beginning of a round. */
const ROUND: readonly (JobChanges & { atS: number })[] = [
	{ atS: 0, name: "fills-one" },
	{ atS: 0, name: "fills-two" },
	{ atS: 6, name: "would-wait" },
	{ atS: 54, name: "must-stay-a-while", class: "sensitive" },
	{ atS: 64, name: "finds-a-slot" },
	{ atS: 70, name: "must-stay", class: "sensitive" },
	{ atS: 86, name: "must-stay-too", class: "sensitive" },
];
const ROUND_S = 196;
/** In the last round it requests both slots. */
const NEEDS_BOTH = "must-stay-too";
/** When the world begins: prices are fresh then. */
const START_MS = Date.UTC(2026, 10, 2, 8);

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

describe("the live loop, and a backtest of its record under the same policy", () => {
	it("agree on where and when each job ran, except for the job behind a refused launch", async () => {
		const price = { microUsdPerHour: 500_000n, onDemandMicroUsdPerHour: 500_000n, priceObservedAtMs: START_MS };
		// One accelerator: a backtest runs recorded jobs at speed 1 everywhere.
		const cheap = fakeOffer({ instanceType: "g4dn.xlarge", accelerator: "A10G-24GB", ...price });
		const w = await World.open({
			slots: 2,
			tickMs: TICK_MS,
			runMs: MINUTE_MS,
			cloud: { offers: [fakeOffer({ priceObservedAtMs: START_MS }), cheap] },
			rules: ['{ id: stays, when: job.class == "sensitive", deny: { sites: [cloud] } }'],
		});
		world = w;
		const fromMs = w.clock.nowMs();
		for (let round = 0; round < 3; round++) {
			if (round === 2) w.cloud.launches.always({ instanceType: "g4dn.xlarge" }, { kind: "error", error: "insufficient_capacity" });
			for (let s = 0; s < ROUND_S; s += TICK_MS / SECOND_MS) {
				const due = ROUND.filter(({ atS }) => atS === s);
				for (const { atS: _, name, ...changes } of due) {
					const both = round === 2 && name === NEEDS_BOTH ? { gpus: 2 } : {};
					await w.submit({ ...changes, ...both, name: `${name}-${round}`, estimate: "1m" });
				}
				await w.tick();
			}
		}
		await w.until(() => w.quiet());

		const { db } = w.database;
		const { policy, version } = await activePolicy(db);
		const toMs = w.clock.nowMs();
		const history = await loadHistory(db, { fromMs, toMs, version, policies: [policy], timing: w.ctx.timing });
		const { courses, sums } = replayHalf(history, policy, { timing: { waitingTickMs: TICK_MS, readRunsEveryMs: MINUTE_MS } });

		const attempts = await w.attempts();
		const live = (await w.jobs()).map((job) => {
			const last = attempts.filter((a) => a.jobId === job.id).at(-1)?.placement;
			const place = last?.poolId
				? "at home"
				: `${last?.provider} ${last?.region} ${last?.instanceType} ${last?.capacityType.replace("_", "-")}`;
			return { id: job.id, name: job.name, place, startedAtMs: job.startedAt?.getTime() ?? Number.NaN };
		});
		// Replays limit repeated requests after a refusal and the live loop does not yet, so the job behind the refusal may differ.
		const compared = live.filter(({ name }) => name !== "would-wait-2");
		const placesOf = (of: (id: string) => string | null | undefined) => Object.fromEntries(compared.map(({ id, name }) => [name, of(id)]));
		expect(live).toHaveLength(21);
		expect(placesOf((id) => courses.get(id)?.place)).toEqual(placesOf((id) => live.find((l) => l.id === id)?.place));
		const later = compared.map(({ id, startedAtMs }) => Math.abs((courses.get(id)?.firstStartMs ?? Number.NaN) - startedAtMs));
		expect(Math.max(...later)).toBeLessThanOrEqual(MINUTE_MS);
		// The record holds both offers, a refusal, and jobs that left and stayed.
		expect(new Set(live.map(({ place }) => place)).size).toBe(3);
		expect(history.launches.map(({ end }) => end)).toContain("refused");
		expect([sums.jobs, sums.waitingAtEnd, sums.runningAtEnd]).toEqual([21, 0, 0]);
	});
});
