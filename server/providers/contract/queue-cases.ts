import { expect, it } from "vitest";
import type { ForeignJob } from "#server/domain/foreign-job.ts";
import { defined } from "#server/kernel/assert.ts";
import type { ForeignSight } from "../foreign-queue.ts";
import { aStart, type ClusterHarness, eventually, find, untilPhase, untilStopped } from "./cluster-harness.ts";

const MARK = "adp_contract";

/** For drivers that can act on the cluster's own queue. The harness must have `theirs`. */
export function queueCases(site: () => ClusterHarness): void {
	const queue = () => defined(site().driver.queue, "queue of the driver");
	const theirs = () => defined(site().theirs, "theirs of the harness");
	const seen = (id: string, what: string, is: (job: ForeignJob) => boolean) =>
		eventually(site(), `job ${id} of others is seen ${what}`, async () =>
			(await site().driver.observe()).foreign?.jobs.find((job) => job.id === id && is(job)),
		);
	const untilSight = (id: string, what: string, is: (sight: ForeignSight) => boolean) =>
		eventually(site(), `job ${id} of others is ${what}`, async () => {
			const sight = await queue().look(id);
			return is(sight) && sight;
		});
	/** One job that uses all GPUs, and one behind it that has to wait. */
	const submitTwo = async () => {
		const first = await theirs().submit({ gpus: site().slots, runs: "long" });
		await untilSight(first, "running", ({ state }) => state === "running");
		const second = await theirs().submit({ gpus: site().slots, runs: "briefly", optIn: true });
		await untilSight(second, "waiting", ({ state }) => state === "waiting");
		return { first, second };
	};

	it("shows other users' jobs with owner, size, place, state and whether they opted in", async () => {
		const { first, second } = await submitTwo();
		const running = await seen(first, "running", ({ state }) => state === "running");
		expect(running).toMatchObject({ user: theirs().user, gpus: site().slots, poolId: site().poolId, position: null, optIn: null });
		expect(running.startedAtMs).not.toBeNull();
		const waiting = await seen(second, "waiting", ({ state }) => state === "waiting");
		expect(waiting).toMatchObject({ user: theirs().user, gpus: site().slots, startedAtMs: null, position: 0, holdMark: null });
		expect(waiting.optIn).not.toBeNull();
		const { pools } = await site().driver.observe();
		expect(pools.find(({ id }) => id === site().poolId)?.unavailableSlots).toHaveLength(site().slots);
	});

	it("reports the cluster's reason for an attempt's wait until it starts", async (context) => {
		const h = site();
		if (!h.features.letsWait) return context.skip("here every attempt begins at once");
		const first = await theirs().submit({ gpus: h.slots, runs: "long" });
		await untilSight(first, "running", ({ state }) => state === "running");
		const request = aStart(h, untilStopped());
		await h.driver.start(request);
		const waiting = await eventually(h, "the attempt is reported as waiting", async () => {
			const seen = await find(h.driver, request.attemptId);
			return seen?.clusterWait ? seen : null;
		});
		expect(waiting).toMatchObject({ phase: "staging", startedAtMs: null, clusterWait: { reason: h.features.letsWait } });
		await theirs().cancel(first);
		expect(await untilPhase(h, request.attemptId, "running")).toMatchObject({ clusterWait: null });
	});

	it("returns the same array of jobs until something new is read", async () => {
		const { second } = await submitTwo();
		await seen(second, "waiting", () => true);
		const settled = await eventually(site(), "two looks say the same", async () => {
			const [a, b] = [await site().driver.observe(), await site().driver.observe()];
			return a.foreign?.jobs === b.foreign?.jobs && a.foreign;
		});
		expect(settled?.jobs.length).toBeGreaterThanOrEqual(2);
	});

	it("reads the submitted script", async () => {
		const { second } = await submitTwo();
		expect((await queue().readScript(second)).text).toContain(theirs().scriptHolds);
		await expect(queue().readScript(theirs().unknownId)).rejects.toMatchObject({ kind: "not_found" });
	});

	it("holds a pending job with its mark, also when repeated, and releases it", async () => {
		const { first, second } = await submitTwo();
		for (const _ of [1, 2]) expect(await queue().hold(second, MARK)).toMatchObject({ state: "held", holdMark: MARK });
		await seen(second, "held", ({ state, holdMark }) => state === "held" && holdMark === MARK);
		await theirs().cancel(first);
		await untilSight(first, "over", ({ state }) => state === "over" || state === "gone");
		expect(await queue().look(second)).toMatchObject({ state: "held", startedAtMs: null });
		expect(await queue().release(second, "another")).toMatchObject({ state: "held", holdMark: MARK });
		for (const _ of [1, 2]) expect(await queue().release(second, MARK)).toMatchObject({ holdMark: null });
		expect(await untilSight(second, "over", ({ state }) => state === "over")).toMatchObject({
			holdMark: null,
			end: { outcome: "succeeded", exitCode: 0 },
		});
	});

	it("keeps the mark of a held job that its owner cancels, so that it differs from one that ran", async () => {
		const { second } = await submitTwo();
		await queue().hold(second, MARK);
		await theirs().cancel(second);
		const ended = await untilSight(second, "over", ({ state }) => state === "over" || state === "gone");
		// If cancelled jobs are deleted, no record of the end remains.
		if (ended.state === "over") expect(ended).toMatchObject({ holdMark: MARK, end: { outcome: "cancelled" } });
		expect(await queue().release(second, MARK)).toMatchObject({ state: ended.state, holdMark: ended.holdMark });
	});

	it("does not change jobs that are running, ended or held by someone else", async () => {
		const { first, second } = await submitTwo();
		expect(await queue().hold(first, MARK)).toMatchObject({ state: "running", holdMark: null });
		expect(await queue().look(first)).toMatchObject({ state: "running", holdMark: null });
		await theirs().hold(second);
		await untilSight(second, "held", ({ state }) => state === "held");
		expect(await queue().hold(second, MARK)).toMatchObject({ state: "held", holdMark: null });
		expect(await queue().release(second, MARK)).toMatchObject({ state: "held", holdMark: null });
		await theirs().cancel(second);
		// If cancelled jobs are deleted, no record of the end remains.
		const ended = await untilSight(second, "over", ({ state }) => state === "over" || state === "gone");
		if (ended.state === "over") expect(ended).toMatchObject({ end: { outcome: "cancelled" } });
		expect(["over", "gone"]).toContain((await queue().hold(second, MARK)).state);
	});

	it("ends a held job once, so that it never runs here", async () => {
		const { first, second } = await submitTwo();
		await queue().hold(second, MARK);
		const outcome = { outcome: "succeeded" as const, exitCode: 0, comment: "ran elsewhere" };
		await queue().finish(second, outcome);
		const end = await untilSight(second, "over", ({ state }) => state === "over");
		expect(end).toMatchObject({ startedAtMs: null, holdMark: null });
		expect(await queue().finish(second, outcome)).toMatchObject({ state: "over" });
		await theirs().cancel(first);
		await untilSight(first, "over", ({ state }) => state === "over" || state === "gone");
		expect(await queue().look(second)).toMatchObject({ state: "over", startedAtMs: null });
	});

	it("reports an unknown job as gone, and does nothing to it", async () => {
		const id = theirs().unknownId;
		const gone = { state: "gone", holdMark: null, startedAtMs: null, end: null };
		expect(await queue().look(id)).toEqual(gone);
		expect(await queue().hold(id, MARK)).toEqual(gone);
		expect(await queue().release(id, MARK)).toEqual(gone);
		expect(await queue().finish(id, { outcome: "cancelled", exitCode: null, comment: "" })).toEqual(gone);
	});
}
