import { setTimeout as sleep } from "node:timers/promises";
import { asc } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adoption } from "#server/db/schema/adoption.ts";
import { defined } from "#server/kernel/assert.ts";
import { eventually } from "#server/providers/contract/cluster-harness.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import type { KubernetesDriver } from "#server/providers/kubernetes/driver.ts";
import { kubernetesSettingsSchema } from "#server/providers/kubernetes/settings.ts";
import { systemContext } from "#server/services/core/context.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { PROBE_STEPS, type ProbeStep } from "./context.ts";
import { emulatedHome, givenHome, type KubernetesHome } from "./testing/kubernetes-home.ts";
import { World } from "./testing/world.ts";

/** An existing cluster, and a user who may create Jobs in it and read their pods: see docs/providers/kubernetes.md. */
const [settings, owner] = [process.env["SPILLWAY_CONTRACT_KUBERNETES"], process.env["SPILLWAY_CONTRACT_KUBERNETES_OWNER"]];
const given = settings && owner ? { settings: kubernetesSettingsSchema.parse(JSON.parse(settings)), owner: JSON.parse(owner) } : null;
/** A real cluster runs in its own time, not by the test's clock. */
const clock = { passTime: () => sleep(given ? 100 : 10) };
const GPUS = 8;

/** Where pods no longer exist, their files are not searched for. */
const FILES_COME_HOME: readonly ProbeStep[] = ["adopt:output_written", "adopt:return_planned", "adopt:checkpoint_home"];
/** Steps of adoption at which the scheduler is killed; two are enough against the emulated server, where each takes CI time. */
const DEATHS: readonly ProbeStep[] = given
	? PROBE_STEPS.filter((step) => step.startsWith("adopt:") && !FILES_COME_HOME.includes(step))
	: ["adopt:hold_answered", "adopt:finish_answered"];
const GOES_BACK: readonly ProbeStep[] = ["adopt:return_intended", "adopt:released"];

/** The real loop and driver, with the shipped permissions; the cloud is the fake one. */
describe(`a Job of a Kubernetes cluster's own queue${given ? ", on a cluster that is there already" : ""}`, () => {
	let home: KubernetesHome;
	let driver: KubernetesDriver;
	let w: World;
	beforeEach(async () => {
		home = given ? await givenHome(given.settings, given.owner) : await emulatedHome();
		driver = home.open();
		const partitions = given ? given.settings.adoptFrom : ["research"];
		const rules = [`{ id: adopt, adopt: { team: research, partitions: [${partitions}] } }`];
		const startMs = Date.now();
		const offers = [fakeOffer({ instanceType: "g5.24xlarge", gpus: 4, vcpus: 96, memoryGiB: 384, priceObservedAtMs: startMs })];
		w = await World.open({ slots: GPUS, home: () => home.open(), startMs, rules, runMs: 10_000, tickMs: 5_000, cloud: { offers } });
	});
	afterEach(async () => {
		await home.close();
		await w.database.drop();
	});

	const adoptions = () => w.database.db.select().from(adoption).orderBy(asc(adoption.id));
	const until = (holds: () => Promise<boolean>) =>
		w.until(async () => {
			await clock.passTime();
			return holds();
		}, 200);
	const reach = (state: string) => until(async () => (await adoptions()).at(-1)?.state === state);
	/** A job that takes every GPU for ten minutes, and a job behind it that may leave. */
	async function fill(theirs: { gpus?: number; indexed?: boolean } = {}): Promise<{ blocker: string; theirs: string }> {
		const blocker = await home.theirs.submit({ gpus: GPUS, runs: "long", timeLimitSeconds: 600 });
		await eventually(clock, "all GPUs are taken", async () => (await driver.queue?.look(blocker))?.state === "running");
		return { blocker, theirs: await home.theirs.submit({ gpus: 1, runs: "briefly", optIn: true, timeLimitSeconds: 60, ...theirs }) };
	}
	const jobOf = async (id: string) => defined(await home.theirs.job(id), `job ${id}`);
	const isSuspended = async (id: string) => (await jobOf(id)).spec.suspend ?? false;
	const conditions = async (id: string) =>
		((await jobOf(id)).status.conditions ?? []).filter((c) => c.status === "True").map(({ type, reason }) => [type, reason]);
	const cloudRuns = async () => (await w.attempts()).map((a) => [a.siteId, a.state]);
	const ends = async () => (await w.attempts()).filter((a) => a.state === "succeeded" || a.state === "failed").length;
	/** It ran in the cloud, and never at home. */
	async function ranElsewhere(id: string, type: "Complete" | "Failed", reason = "RanElsewhere"): Promise<void> {
		const { status } = await jobOf(id);
		expect(await conditions(id)).toContainEqual([type, reason]);
		expect([status.succeeded ?? 0, status.failed ?? 0]).toEqual([0, 0]);
		expect(await home.theirs.pods(id)).toEqual([]);
	}
	/** It ran at home, once, and never to completion in a cloud. */
	async function ranAtHome(id: string): Promise<void> {
		await eventually(clock, "home has run it", async () => (await conditions(id)).some(([type]) => type === "Complete"));
		expect(await conditions(id)).toContainEqual(["Complete", "CompletionsReached"]);
		expect((await jobOf(id)).status.succeeded).toBe(1);
		expect(await ends()).toBe(0);
	}

	it("is held, runs in the cloud, and finishes at home with the same outcome", async () => {
		const job = await fill();
		await reach("held");
		expect(await isSuspended(job.theirs)).toBe(true);
		await reach("finished");
		await ranElsewhere(job.theirs, "Complete");
		expect(await cloudRuns()).toEqual([["aws", "succeeded"]]);
		expect(await driver.queue?.look(job.theirs)).toMatchObject({ state: "over", startedAtMs: null });
	});

	it("runs as a gang if it has several indexed pods, and fails at home with the same outcome", async () => {
		const job = await fill({ gpus: GPUS, indexed: true });
		await until(async () => (await w.instances()).length === 2);
		w.failing.set(defined((await w.instances())[0], "a machine").id, 3);
		await reach("finished");
		await ranElsewhere(job.theirs, "Failed");
		expect((await w.attempts()).map((a) => [a.siteId, a.state, a.exitCode])).toEqual([["aws", "failed", 3]]);
	});

	it("returns when home has room before the cloud has, and runs there once", async () => {
		w.cloud.calls.fail("launch", "insufficient_capacity", { times: 50 });
		const job = await fill();
		await reach("held");
		await home.theirs.cancel(job.blocker);
		await reach("released");
		await ranAtHome(job.theirs);
	});

	it.each(DEATHS.filter((step) => !GOES_BACK.includes(step)))("runs once when the scheduler dies at %s", async (step) => {
		w.killAt = { step, pass: 1 };
		const job = await fill();
		await reach("finished");
		expect(w.deaths).toBe(1);
		expect(await cloudRuns()).toEqual([["aws", "succeeded"]]);
		await ranElsewhere(job.theirs, "Complete");
	});

	it.each(DEATHS.filter((step) => GOES_BACK.includes(step)))("returns and runs once when the scheduler dies at %s", async (step) => {
		w.killAt = { step, pass: 1 };
		w.cloud.calls.fail("launch", "insufficient_capacity", { times: 50 });
		const job = await fill();
		await reach("held");
		await home.theirs.cancel(job.blocker);
		await reach("released");
		expect(w.deaths).toBe(1);
		await ranAtHome(job.theirs);
	});

	it("is stopped in the cloud when its owner deletes it", async () => {
		const job = await fill();
		await until(async () => (await w.attempts()).some((a) => a.state === "running"));
		await home.theirs.cancel(job.theirs);
		await reach("abandoned");
		await until(async () => (await w.jobs()).every((j) => j.state === "cancelled"));
		expect(await home.theirs.job(job.theirs)).toBeNull();
		expect(await ends()).toBe(0);
	});

	it("returns to home when its owner resumes it: the cloud run is stopped, and home runs it once", async () => {
		const job = await fill();
		await until(async () => (await w.attempts()).some((a) => a.state === "running"));
		await home.theirs.resume(job.theirs);
		await reach("released");
		await home.theirs.cancel(job.blocker);
		await ranAtHome(job.theirs);
	});

	it.runIf(given)("stays with its owner when suspended before it could be held", async () => {
		const job = await fill();
		await reach("offered");
		await home.theirs.hold(job.theirs);
		await until(async () => ["released", "held", "finished"].includes((await adoptions()).at(-1)?.state ?? ""));
		expect((await adoptions()).map((a) => [a.state, a.why])).toEqual([["released", "home_holds"]]);
		expect(await isSuspended(job.theirs)).toBe(true);
		expect(await w.attempts()).toEqual([]);
	});

	it.runIf(given)("is cancelled at home when its Spillway job is cancelled, once it is held", async () => {
		const job = await fill();
		await reach("held");
		const [ours] = await w.jobs();
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), defined(ours, "our job").id);
		await reach("finished");
		await ranElsewhere(job.theirs, "Failed", "CancelledElsewhere");
	});

	it("continues through watches that are cut off or too old (410), and through an expired token", async () => {
		const job = await fill();
		await reach("held");
		home.forgetChanges();
		home.proxy.ageWatches(3);
		await eventually(clock, "the server has called a watch too old", async () => home.proxy.expired > 0);
		home.proxy.setToken({ isGood: false });
		home.proxy.cutWatches();
		// While the owned site is unreachable, nothing is concluded about the job there; the cloud run continues to its end.
		await until(async () => (await w.jobs()).every((j) => j.state === "succeeded"));
		await until(async () => home.proxy.unauthorized > 0);
		expect((await adoptions()).map((a) => a.state)).toEqual(["held"]);
		expect(await conditions(job.theirs)).not.toContainEqual(["Complete", "RanElsewhere"]);
		home.proxy.setToken({ isGood: true });
		await reach("finished");
		await ranElsewhere(job.theirs, "Complete");
		expect(await cloudRuns()).toEqual([["aws", "succeeded"]]);
	});
});
