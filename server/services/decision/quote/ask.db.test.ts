import { afterEach, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { account, team } from "#server/db/schema/account.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { explainWaiting } from "../explain/waiting.ts";
import { askQuote } from "./ask.ts";

const START = { priceObservedAtMs: Date.UTC(2026, 10, 2, 8) };
const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

const A100 = fakeOffer({ ...START, instanceType: "p4.xlarge", accelerator: "A100-80GB", microUsdPerHour: 3_000_000n });

/** One slot at home, taken for two hours. */
async function open(rules: string[] = [], offers = [fakeOffer(START), A100]): Promise<World> {
	const world = await World.open({ slots: 1, rules, tickMs: 30_000, runMs: 600_000, cloud: { offers } });
	opened.push(world);
	const createdAt = new Date(world.clock.nowMs());
	const b = { id: "usr_b", name: "B", email: "b@example.test", role: "platform" as const, teams: ["research"], createdAt };
	await world.database.db.insert(account).values([b, { ...b, id: "usr_d", name: "D", email: "d@example.test", role: "data_scientist" }]);
	await world.database.db.insert(team).values({ name: "elsewhere" });
	await world.submit({ name: "home-1", estimate: "2h", max: "3h" });
	await world.tick();
	return world;
}

const as = (w: World, accountId: string, teams = ["research"]): ServiceContext & { timing: World["ctx"]["timing"] } => ({
	...{ db: w.database.db, clock: w.clock, requestId: null, timing: timingSchema.parse(w.ctx.timing) },
	actor: { kind: "person", accountId, name: accountId, role: accountId === "usr_d" ? "data_scientist" : "platform", teams, via: "session" },
});

type Spec = Record<string, unknown>;
const jobOf = (spec: Spec) =>
	parseJobDocument({
		...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "asks", team: "research" } },
		spec: { command: ["true"], duration: { estimate: "50m", max: "2h" }, ...spec },
	});

describe("a quote", () => {
	it("suggests faster variants, and quotes the suggested result for each of them", async () => {
		const w = await open([], [A100]);
		const spec: Spec = { resources: { gpus: 1, accelerators: ["A10G-24GB"] } };
		const quote = await askQuote(as(w, "usr_d"), jobOf(spec));
		expect(quote.expected?.placement.capacityType).toBe("owned");
		const [best] = quote.suggestions;
		expect(best?.sentence).toMatch(/^Allow A100-80GB: starts 2h earlier, ends 2h37m earlier, \$0\.6502 more\.$/);
		for (const { fields, prospect } of quote.suggestions) {
			const changed = structuredClone(spec);
			for (const { path, value } of fields) {
				const [first = "", second] = path;
				changed[first] = second === undefined ? value : { ...(changed[first] as Spec), [second]: value };
			}
			const followed = await askQuote(as(w, "usr_d"), jobOf(changed));
			expect(followed.expected).toEqual(prospect);
		}
	});

	it("shows the chance that each place misses the deadline", async () => {
		const w = await open();
		const at = (minutes: number) => new Date(w.clock.nowMs() + minutes * 60_000).toISOString();
		const risks = async (minutes: number) => {
			const quote = await askQuote(as(w, "usr_d"), jobOf({ resources: { gpus: 1, accelerators: ["A10G-24GB"] }, deadline: at(minutes) }));
			const risk = (owned: boolean) => quote.candidates.find((c) => (c.placement.capacityType === "owned") === owned)?.deadlineRisk;
			return { home: risk(true), cloud: risk(false), expected: quote.expected?.deadlineRisk };
		};
		// Home is occupied for two hours: too long for a deadline in one hour, but not for one in a day.
		const near = await risks(60);
		expect(near.home).toBe(1);
		expect(near.cloud).toBeGreaterThan(0.02);
		expect(near.cloud).toBeLessThan(0.5);
		expect(near.expected).toBe(near.cloud);
		expect(await risks(24 * 60)).toMatchObject({ home: 0, cloud: 0 });
		const none = await askQuote(as(w, "usr_d"), jobOf({}));
		expect(none.candidates.map((c) => c.deadlineRisk)).toEqual(none.candidates.map(() => null));
	});

	it("names who would answer an approval, excluding the submitter", async () => {
		const w = await open(["{ id: ask-first, when: quote.costUsd > 0.0, require: { approval: platform } }"]);
		const quote = await askQuote(as(w, "usr_b"), jobOf({}));
		expect(quote).toMatchObject({ outcome: "hold", expected: null, approval: { ruleId: "ask-first", role: "platform", people: ["A"] } });
		expect(quote.approval?.sentence).toBe("A (platform engineer) can approve. No request was answered in the last 90 days.");
		const [jobId = ""] = await w.submit({ name: "asks", estimate: "50m", max: "2h" });
		await w.tick();
		const waiting = await explainWaiting(as(w, "usr_d"), jobId);
		expect(waiting).toMatchObject({ waits: true, state: "held", reason: { code: "approval_required" } });
		expect(waiting.changes.map((c) => c.by)).toEqual(["people", "people"]);
		expect(waiting.changes[1]?.sentence).toContain("A or B (platform engineer) can approve");
	});
});

describe("a job that waits", () => {
	it("repeats its reason and suggests faster variants, and a running job does not wait", async () => {
		const w = await open(["{ id: stays, when: 'job.class == \"sensitive\"', deny: { sites: [cloud] } }"]);
		const [jobId = ""] = await w.submit({ name: "waits", class: "sensitive", estimate: "50m", max: "2h" });
		// Answered although no cycle has seen it yet.
		const waiting = await explainWaiting(as(w, "usr_d"), jobId);
		expect(waiting.reason.code).toBe("waiting_for_home");
		expect(waiting.changes.map((c) => c.by)).toEqual(["time", "policy"]);
		expect(waiting.changes[1]?.sentence).toContain("rule stays denies the cloud");
		expect(waiting.expected?.start).toEqual(waiting.homeStart);
		const [running] = await w.jobs();
		expect(await explainWaiting(as(w, "usr_d"), running?.id ?? "")).toMatchObject({ waits: false, changes: [], suggestions: [] });
		await expect(explainWaiting(as(w, "usr_d", ["elsewhere"]), jobId)).rejects.toMatchObject({ code: "not_found" });
	});
});
