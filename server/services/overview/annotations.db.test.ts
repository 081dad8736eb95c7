import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { audit } from "#server/db/schema/audit.ts";
import { event } from "#server/db/schema/event.ts";
import { site } from "#server/db/schema/site.ts";
import { reason } from "#server/domain/reasons.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { listAnnotations } from "./annotations.ts";

let books: test.Books;
beforeAll(async () => {
	books = await test.openBooks();
	const line = { actor: "account:a", before: null, after: null };
	await books.db.insert(audit).values([
		{ ...line, at: new Date(test.T0), action: "policy.publish", subject: "default", after: { version: 2 } },
		{ ...line, at: new Date(test.T0 + 1), action: "pool.price", subject: "home/a100" },
		{ ...line, at: new Date(test.T0 + 2), action: "job.cancel", subject: "job_1" },
		{ ...line, at: new Date(test.T0 + 50), action: "policy.publish", subject: "default", after: { version: 3 } },
	]);
	await books.db.insert(site).values({ id: "north", name: "North", provider: "aws", settings: {} });
	await loseAttempts(3, "us-east-1");
	await loseAttempts(2, "eu-west-1");
	await books.db.insert(event).values({ at: new Date(test.T0 + 3), kind: "site_unhealthy", siteId: "north" });
});
afterAll(() => books.database.drop());

async function loseAttempts(count: number, region: string): Promise<void> {
	const place = { siteId: "north", provider: "aws", region, zone: null, capacityType: "spot", instanceType: "g5.xlarge" } as const;
	for (let i = 0; i < count; i++) {
		const id = await test.addAttempt(books, await test.addJob(books), 1, { ...place, poolId: null, accelerator: "NVIDIA A10G" }, 1);
		const ended = { state: "lost", reason: reason("instance_vanished"), finishedAt: new Date(test.T0 + 4 + i) } as const;
		await books.db.update(attempt).set(ended).where(eq(attempt.id, id));
	}
}

const LOST = "North us-east-1 lost 3 running attempts";
const range = { fromMs: test.T0, toMs: test.T0 + 50 };
const as = (role: "data_scientist" | "finance") =>
	({ ...books, actor: { kind: "person", accountId: "a", name: "A", role, teams: ["risk"], via: "session" } }) as const;

it("lists changes of the range; prices only for those who may read them", async () => {
	const texts = async (role: "data_scientist" | "finance") => (await listAnnotations(as(role), range)).map(({ text }) => text);
	expect(await texts("finance")).toEqual(["Policy default v2 published", "Pool home/a100: price changed", "North is unhealthy", LOST]);
	expect(await texts("data_scientist")).toEqual(["Policy default v2 published", "North is unhealthy", LOST]);
});

it("rejects an invalid range", () => expect(listAnnotations(books, { fromMs: -1, toMs: 1 })).rejects.toThrow());
