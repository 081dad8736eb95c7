import { asc } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adoption } from "#server/db/schema/adoption.ts";
import { eventually } from "#server/providers/contract/cluster-harness.ts";
import { KubernetesDriver } from "#server/providers/kubernetes/driver.ts";
import { type EmulatedCluster, startEmulatedCluster, THEIR_NAMESPACE } from "#server/providers/testing/emulated-kubernetes.ts";
import { theirJobs } from "#server/providers/testing/their-jobs.ts";
import { World } from "./testing/world.ts";

const ADOPT = `{ id: adopt, adopt: { team: research, partitions: [${THEIR_NAMESPACE}] } }`;
const clock = { passTime: () => new Promise<void>((resolve) => setTimeout(resolve, 10)) };

/** The loop and the driver for real, against the emulated API server with the shipped rights; the cloud is the fake one. */
describe("a Job of a Kubernetes cluster's own queue", { timeout: 120_000 }, () => {
	let cluster: EmulatedCluster;
	let driver: KubernetesDriver;
	let theirs: ReturnType<typeof theirJobs>;
	let w: World;
	beforeEach(async () => {
		cluster = await startEmulatedCluster();
		driver = new KubernetesDriver("home", { ...cluster.settings, adoptFrom: [THEIR_NAMESPACE] });
		theirs = theirJobs(cluster.emulator);
		w = await World.open({ slots: 8, home: driver, startMs: Date.now(), rules: [ADOPT], runMs: 10_000, tickMs: 5_000 });
	});
	afterEach(async () => {
		await driver.close({ stopJobs: false, graceMs: 0 });
		await cluster.stop();
		await w.database.drop();
	});

	const adoptions = () => w.database.db.select().from(adoption).orderBy(asc(adoption.id));
	const reach = (state: string) =>
		w.until(async () => {
			// The cluster acts in its own time, not by the world's clock.
			await clock.passTime();
			return (await adoptions()).at(-1)?.state === state;
		}, 200);
	/** One that takes every GPU for ten minutes, and one behind it that may leave. */
	async function fill(): Promise<{ blocker: string; theirs: string }> {
		const blocker = await theirs.submit({ gpus: 8, runs: "long", timeLimitSeconds: 600 });
		await eventually(clock, "all GPUs are taken", async () => (await driver.queue?.look(blocker))?.state === "running");
		return { blocker, theirs: await theirs.submit({ gpus: 1, runs: "briefly", optIn: true, timeLimitSeconds: 60 }) };
	}
	const conditions = (id: string) => theirs.byId(id).status.conditions?.map(({ type, reason }) => [type, reason]) ?? [];
	const podsOf = (id: string) =>
		cluster.emulator.store.list("pods", THEIR_NAMESPACE).filter((p) => p.metadata.ownerReferences?.some(({ uid }) => uid === id));

	it("is held, runs in the cloud, and is finished at home with the same outcome", async () => {
		const job = await fill();
		await reach("held");
		expect(theirs.byId(job.theirs).spec.suspend).toBe(true);
		await reach("finished");
		expect(conditions(job.theirs)).toContainEqual(["Complete", "RanElsewhere"]);
		expect((await w.attempts()).map((a) => [a.siteId, a.state])).toEqual([["aws", "succeeded"]]);
		expect(podsOf(job.theirs)).toEqual([]);
		expect(await driver.queue?.look(job.theirs)).toMatchObject({ state: "over", startedAtMs: null });
	});

	it("goes back when home has room before the cloud has, and runs there once", async () => {
		w.cloud.calls.fail("launch", "insufficient_capacity", { times: 50 });
		const job = await fill();
		await reach("held");
		await theirs.cancel(job.blocker);
		await reach("released");
		await eventually(clock, "home has run it", async () => conditions(job.theirs).some(([type]) => type === "Complete"));
		expect(conditions(job.theirs)).toEqual([["Complete", "CompletionsReached"]]);
		expect((await w.attempts()).filter((a) => a.state === "succeeded")).toEqual([]);
	});

	it.each(["adopt:hold_answered", "adopt:finish_answered"] as const)("runs once when the scheduler dies at %s", async (step) => {
		w.killAt = { step, pass: 1 };
		const job = await fill();
		await reach("finished");
		expect(w.deaths).toBe(1);
		expect((await w.attempts()).map((a) => a.state)).toEqual(["succeeded"]);
		expect(conditions(job.theirs)).toContainEqual(["Complete", "RanElsewhere"]);
		expect(podsOf(job.theirs)).toEqual([]);
	});
});
