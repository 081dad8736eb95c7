import { asc, eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emptyOutbox } from "#server/control-loop/notices.ts";
import { account } from "#server/db/schema/account.ts";
import { delivery, notice } from "#server/db/schema/alert.ts";
import { decision } from "#server/db/schema/decision.ts";
import { job } from "#server/db/schema/job.ts";
import { pipeline, pipelineJob, pipelineRun } from "#server/db/schema/pipeline.ts";
import { setting } from "#server/db/schema/setting.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { DIGEST_MINUTES, WORK_EVENTS, type WorkEvent } from "#server/domain/notice.ts";
import { reason } from "#server/domain/reasons.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { getNotifications, setNotifications } from "#server/services/governance/account/notifications.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { finishAttempt } from "#server/services/work/attempt/finish.ts";
import { failWaiting } from "#server/services/work/job/wait.ts";
import { recordOverForecast } from "#server/services/work/notice/over-forecast.ts";
import { advancePipelines } from "#server/services/work/pipeline/advance.ts";
import { NO_COUNTS } from "#server/services/work/pipeline/counts.ts";
import { createChannel } from "../channel/create.ts";
import { updateChannel } from "../channel/update.ts";
import { type MailBox, openMailBox, openReceiver, type Receiver } from "../delivery/testing/receivers.ts";
import { collectNotices } from "./collect.ts";

const SECRET = "a secret of this installation";
const PUBLIC_URL = "https://spillway.acme.test";
const WINDOW_MS = DIGEST_MINUTES.default * MINUTE_MS;
const ADA = "account:usr_ada";
let books: test.Books;
let box: MailBox;
let hook: Receiver;
beforeEach(async () => {
	[books, box, hook] = await Promise.all([test.openBooks(), openMailBox(), openReceiver()]);
	await books.db
		.insert(account)
		.values(
			[
				...[{ id: "usr_ada", email: "ada@acme.test", name: "Ada", role: "data_scientist" as const, teams: ["risk"] }],
				...[{ id: "usr_bob", email: "bob@acme.test", name: "Bob", role: "data_scientist" as const, teams: ["vision"] }],
			].map((row) => ({ ...row, createdAt: new Date(books.clock.nowMs()) })),
		);
});
afterEach(async () => {
	await Promise.all([box.close(), hook.close()]);
	await books.database.drop();
});

const as = (id: "usr_ada" | "usr_bob") => ({
	...books,
	actor: { kind: "person", accountId: id, name: id, role: "data_scientist", teams: ["risk"], via: "session" } as const,
});
const want = (...events: WorkEvent[]) => setNotifications(as("usr_ada"), { events });
const deliver = async (afterMs = WINDOW_MS) => {
	books.clock.advance(afterMs);
	const timing = { deliverTimeoutMs: 20_000, deliverRetryMs: 30_000, deliverRetryMaxMs: HOUR_MS };
	const allowance = parseAllowance(["127.0.0.1", "localhost"]);
	const settings = { secret: SECRET, smtpUrl: box.url, mailFrom: "Spillway <spillway@acme.test>", publicUrl: PUBLIC_URL, allowance };
	await emptyOutbox({ db: books.db, clock: books.clock, timing: timing as Parameters<typeof emptyOutbox>[0]["timing"] }, settings);
};
/** A mail without the line breaks of its encoding. */
const textOf = (index: number) => (box.mails[index]?.text ?? "").replaceAll(/=\r?\n/g, "");
const ofAda = (jobId: string) => books.db.update(job).set({ submittedBy: ADA }).where(eq(job.id, jobId));
const addOwn = async () => {
	const id = await test.addJob(books);
	await ofAda(id);
	return id;
};
const fail = (jobId: string) =>
	books.db.transaction((tx) => failWaiting(tx, { jobId, reason: reason("submitted"), nowMs: books.clock.nowMs() }));

/** A database that kills each transaction before it commits. */
const dyingDb = () =>
	new Proxy(books.db, {
		get: (db, name) =>
			name === "transaction"
				? (work: (tx: unknown) => unknown) =>
						db.transaction(async (tx) => {
							await work(tx);
							throw new Error("killed");
						})
				: Reflect.get(db, name),
	});

/** An attempt that ends on a machine: with an exit code, or reclaimed. */
async function run(jobId: string, number: number, end: { code: number } | "reclaimed"): Promise<void> {
	await books.db.update(job).set({ state: "admitted", attempts: number }).where(eq(job.id, jobId));
	const { attemptId } = await test.addMachine(books, { jobId, attemptNo: number });
	const exit = end === "reclaimed" ? null : { code: end.code, signal: null, error: null };
	const because = end === "reclaimed" ? { because: reason("spot_interruption") } : {};
	await books.db.transaction((tx) => finishAttempt(tx, { attemptId, exit, atMs: books.clock.nowMs(), ...because }));
}

describe("notifications about own work", () => {
	it("go by mail about the chosen events to the account's address, and to no one else", async () => {
		await want("finished", "reclaimed");
		await setNotifications(as("usr_bob"), { events: [...WORK_EVENTS] });
		const [done, lost] = [await addOwn(), await addOwn()];
		await run(done, 1, { code: 0 });
		await run(lost, 1, "reclaimed");
		await deliver();
		expect(box.mails.map(({ to }) => to)).toEqual([["ada@acme.test"]]);
		expect(textOf(0)).toContain("Subject: Job train finished");
		expect(textOf(0)).toContain(`${PUBLIC_URL}/jobs/${done}`);
		await run(lost, 2, "reclaimed");
		await run(lost, 3, "reclaimed");
		await run(lost, 4, { code: 1 });
		await deliver();
		expect(box.mails).toHaveLength(2);
		expect(textOf(1)).toContain("Subject: Job train was reclaimed 2 times");
		expect(await getNotifications(as("usr_ada"))).toMatchObject({ lastMail: { state: "sent", error: null } });
	});

	it("combine many ended jobs in one mail, sent after the digest's minutes and not before", async () => {
		await want("failed");
		const ids = await Promise.all(Array.from({ length: 60 }, addOwn));
		await Promise.all(ids.map(fail));
		await deliver(WINDOW_MS - 1);
		expect(box.mails).toHaveLength(0);
		await deliver(1);
		await deliver();
		expect(box.mails).toHaveLength(1);
		expect(textOf(0)).toContain("Subject: Your jobs: 60 failed");
		expect(textOf(0)).toContain("and 10 more");
	});

	it("use the events in a job's file instead of those in the settings", async () => {
		await want("failed");
		const [quiet, loud] = [await addOwn(), await addOwn()];
		for (const [id, notify] of [
			[quiet, []],
			[loud, ["finished"]],
		] as const)
			await books.db
				.update(job)
				.set({ spec: sql`${job.spec} || ${JSON.stringify({ notify })}::jsonb` })
				.where(eq(job.id, id));
		await run(quiet, 1, { code: 1 });
		await run(loud, 1, { code: 0 });
		await deliver();
		expect(box.mails).toHaveLength(1);
		expect(textOf(0)).toContain(`${PUBLIC_URL}/jobs/${loud}`);
	});

	it("send one message for a sweep when it ends and none for its jobs, and nothing to a channel of another pipeline", async () => {
		await want("finished", "failed");
		const common = { kind: "cloudevents", team: "risk", url: hook.url, topics: ["work_failed", "work_finished"] } as const;
		const channels = { ...books, secret: SECRET };
		await createChannel(channels, { ...common, topics: [...common.topics], name: "sweep", pipeline: "tune" });
		await createChannel(channels, { ...common, topics: [...common.topics], name: "other", pipeline: "nightly" });
		const at = new Date(books.clock.nowMs());
		const jobs = [await addOwn(), await addOwn(), await addOwn()];
		await books.db.insert(pipeline).values({
			...{ id: "pipe_1", kind: "Sweep", name: "tune", team: "risk", labels: {}, parameters: {}, quote: null, runs: 3 },
			graph: [{ name: "trial", needs: [], when: null, retry: 0, inputs: [], runMs: 0, restMs: 0 }],
			...{ counts: { ...NO_COUNTS, submitted: 3 }, submittedBy: ADA, submittedAt: at },
		});
		const [{ spec }] = (await books.db.select({ spec: job.spec }).from(job).limit(1)) as [{ spec: typeof job.$inferSelect.spec }];
		const runOf = (jobId: string, index: number) => ({
			index,
			step: 0,
			name: `trial-${index}`,
			values: {},
			spec,
			tries: 1,
			state: "submitted" as const,
			jobId,
		});
		await books.db.insert(pipelineRun).values(jobs.map((id, i) => ({ pipelineId: "pipe_1", ...runOf(id, i) })));
		await books.db.insert(pipelineJob).values(jobs.map((jobId, run) => ({ jobId, pipelineId: "pipe_1", run, createdAtMs: at.getTime() })));
		for (const [i, id] of jobs.entries()) await run(id, 1, { code: i === 0 ? 1 : 0 });
		await advancePipelines(books.db, { nowMs: books.clock.nowMs(), step: () => {} });
		await deliver();
		expect(box.mails).toHaveLength(1);
		expect(textOf(0)).toContain("Subject: Sweep tune failed");
		expect(textOf(0)).toContain("2 of 3 runs succeeded. 1 failed.");
		expect(hook.received.map(({ body }) => JSON.parse(body))).toMatchObject([
			{ type: "dev.spillway.work.failed", data: { title: "Sweep tune failed", url: `${PUBLIC_URL}/sweeps/pipe_1` } },
		]);
	});

	it("are sent once for a job that still runs after its forecast's P90", async () => {
		await want("over_forecast");
		const { jobId, attemptId } = await test.addMachine(books);
		await ofAda(jobId);
		const nowMs = books.clock.nowMs();
		await books.db.execute(`update attempt set state = 'running' where id = '${attemptId}'`);
		await books.db.update(job).set({ state: "admitted", attempts: 1 }).where(eq(job.id, jobId));
		await books.db
			.update(job)
			.set({ state: "running", startedAt: new Date(nowMs) })
			.where(eq(job.id, jobId));
		const finish = { p50Ms: nowMs + HOUR_MS, p90Ms: nowMs + 2 * HOUR_MS };
		const explanation = { candidates: [{ outcome: "chosen", finish }] } as unknown as Explanation;
		await books.db.insert(decision).values({
			...{ id: "dec_1", jobId, decidedAt: new Date(nowMs), attemptNumber: 1, policyName: "p", policyVersion: 1, explanation },
		});
		const channel = { kind: "slack", url: hook.url, topics: ["work_over_forecast" as const], team: null } as const;
		await createChannel({ ...books, secret: SECRET }, { ...channel, topics: [...channel.topics], name: "other", pipeline: "nightly" });
		expect(await recordOverForecast(books.db, nowMs + HOUR_MS)).toBe(0);
		expect(await recordOverForecast(books.db, finish.p90Ms + 1)).toBe(1);
		expect(await recordOverForecast(books.db, finish.p90Ms + 2)).toBe(0);
		await deliver(3 * HOUR_MS);
		expect(box.mails).toHaveLength(1);
		expect(textOf(0)).toContain("Subject: Job train is over its forecast");
		expect(textOf(0)).toContain("2026-11-10 12:00 UTC (P90)");
	});

	it("put an event into one mail even if collections are killed or run concurrently", async () => {
		await want("failed");
		await fail(await addOwn());
		books.clock.advance(WINDOW_MS);
		await expect(collectNotices({ ...books, db: dyingDb() }, PUBLIC_URL)).rejects.toThrow("killed");
		expect(await books.db.$count(delivery)).toBe(0);
		const counts = await Promise.all([1, 2, 3].map(() => collectNotices(books, PUBLIC_URL)));
		expect(counts.sort()).toEqual([0, 0, 1]);
		await deliver();
		expect(box.mails).toHaveLength(1);
		const [row] = await books.db.select().from(notice).orderBy(asc(notice.id));
		expect(row?.deliveryId).not.toBeNull();
	});

	it("no one is notified about a team that they left, after they were deactivated, or about a cancelled job", async () => {
		await want(...WORK_EVENTS);
		await books.db
			.update(account)
			.set({ teams: ["vision"] })
			.where(eq(account.id, "usr_ada"));
		await fail(await addOwn());
		await books.db
			.update(account)
			.set({ teams: ["risk"], disabledAt: new Date() })
			.where(eq(account.id, "usr_ada"));
		await fail(await addOwn());
		await books.db.update(account).set({ disabledAt: null }).where(eq(account.id, "usr_ada"));
		const cancelled = await addOwn();
		await books.db
			.update(job)
			.set({ cancelRequestedAt: new Date(books.clock.nowMs()) })
			.where(eq(job.id, cancelled));
		await run(cancelled, 1, "reclaimed");
		expect(await books.db.$count(notice)).toBe(0);
	});
});

describe("digests of channels", () => {
	const channels = () => ({ ...books, secret: SECRET });
	const topics = ["work_failed" as const];
	const failed = async (count: number) => {
		for (let i = 0; i < count; i++) await fail(await test.addJob(books));
	};
	const rowsOf = (channelId: string) =>
		books.db.select().from(delivery).where(eq(delivery.channelId, channelId)).orderBy(asc(delivery.createdAt), asc(delivery.id));

	it("are one mail a day at 8:00 in the company's time zone, and one message an hour to a webhook", async () => {
		await books.db
			.insert(setting)
			.values({ key: "ledger_zone", value: "Asia/Kolkata" })
			.onConflictDoUpdate({ target: setting.key, set: { value: "Asia/Kolkata" } });
		const mail = { kind: "email", name: "mail", team: null, topics, digest: "daily" } as const;
		const { id } = await createChannel(channels(), { ...mail, recipients: ["ops@acme.test"] });
		await createChannel(channels(), { kind: "cloudevents", name: "hook", team: null, topics, url: hook.url, digest: "hourly" });
		await failed(3);
		await deliver(HOUR_MS);
		expect(hook.received.map(({ body }) => JSON.parse(body))).toMatchObject([
			{ type: "dev.spillway.digest", data: { title: "Hourly digest: 3 events", facts: { events: 3, digest: "hourly" } } },
		]);
		const nextMorningMs = Date.parse("2026-11-11T02:30:00Z");
		await deliver(nextMorningMs - 1 - books.clock.nowMs());
		expect(box.mails).toHaveLength(0);
		await deliver(1);
		await deliver(HOUR_MS);
		expect(box.mails.map(({ to }) => to)).toEqual([["ops@acme.test"]]);
		expect(textOf(0)).toContain("Subject: Daily digest: 3 events");
		expect(textOf(0)).toContain("- Job train failed.");
		expect((await rowsOf(id)).map(({ state, tries }) => [state, tries])).toEqual([
			...Array.from({ length: 3 }, () => ["sent", 0]),
			["sent", 1],
		]);
		expect(hook.received).toHaveLength(1);
	});

	it("contain each event once even if collections are killed or run concurrently, and report a failure for each event", async () => {
		const hookChannel = { kind: "slack", name: "chat", team: null, topics, url: hook.url, digest: "hourly" } as const;
		const { id } = await createChannel(channels(), hookChannel);
		await failed(2);
		books.clock.advance(HOUR_MS);
		await expect(collectNotices({ ...books, db: dyingDb() }, PUBLIC_URL)).rejects.toThrow("killed");
		expect(await rowsOf(id)).toHaveLength(2);
		await Promise.all([1, 2, 3].map(() => collectNotices(books, PUBLIC_URL)));
		expect(await rowsOf(id)).toHaveLength(3);
		hook.answers.push(503);
		await deliver(0);
		expect((await rowsOf(id)).map(({ state }) => state)).toEqual(["pending", "pending", "pending"]);
		await deliver(HOUR_MS);
		expect(hook.received).toHaveLength(2);
		expect(hook.received[0]?.body).toBe(hook.received[1]?.body);
		expect((await rowsOf(id)).map(({ state, lastError }) => [state, lastError])).toEqual(Array.from({ length: 3 }, () => ["sent", null]));
	});

	it("send a single event unchanged, and waiting events as soon as the channel has no digest", async () => {
		const given = { kind: "slack", name: "chat", team: null, topics, url: hook.url, digest: "hourly" } as const;
		const { id } = await createChannel(channels(), given);
		await failed(1);
		await deliver(0);
		expect(hook.received).toHaveLength(0);
		await deliver(HOUR_MS);
		expect(hook.received.map(({ body }) => JSON.parse(body).text)).toEqual([expect.stringContaining("Job train failed: ")]);
		await failed(2);
		await updateChannel(channels(), { id, digest: "immediate" });
		await deliver(0);
		expect(hook.received).toHaveLength(3);
	});
});

describe("settings of notifications", () => {
	it("keep omitted fields, reject unknown events and a service account, and are off by default", async () => {
		expect(await getNotifications(as("usr_ada"))).toEqual({ email: "ada@acme.test", events: [], digestMinutes: 5, lastMail: null });
		await want("failed", "finished");
		expect(await setNotifications(as("usr_ada"), { digestMinutes: 60 })).toMatchObject({
			events: ["finished", "failed"],
			digestMinutes: 60,
		});
		const wrong = { events: ["ended"] } as unknown as { events: WorkEvent[] };
		await expect(setNotifications(as("usr_ada"), wrong)).rejects.toThrow();
		await expect(setNotifications(as("usr_ada"), {})).rejects.toThrow("give events");
		await books.db.update(account).set({ service: true }).where(eq(account.id, "usr_ada"));
		await expect(getNotifications(as("usr_ada"))).rejects.toMatchObject({ code: "conflict" });
		await expect(getNotifications(books)).rejects.toMatchObject({ code: "forbidden" });
	});
});
