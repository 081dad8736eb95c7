import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { event } from "#server/db/schema/event.ts";
import { site } from "#server/db/schema/site.ts";
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
	await books.db.insert(event).values({ at: new Date(test.T0 + 3), kind: "site_unhealthy", siteId: "north" });
});
afterAll(() => books.database.drop());

const range = { fromMs: test.T0, toMs: test.T0 + 50 };
const as = (role: "data_scientist" | "finance") =>
	({ ...books, actor: { kind: "person", accountId: "a", name: "A", role, teams: ["risk"], via: "session" } }) as const;

it("lists changes of the range; prices only for those who may read them", async () => {
	const texts = async (role: "data_scientist" | "finance") => (await listAnnotations(as(role), range)).map(({ text }) => text);
	expect(await texts("finance")).toEqual(["Policy default v2 published", "Pool home/a100: price changed", "North is unhealthy"]);
	expect(await texts("data_scientist")).toEqual(["Policy default v2 published", "North is unhealthy"]);
});

it("rejects an invalid range", () => expect(listAnnotations(books, { fromMs: -1, toMs: 1 })).rejects.toThrow());
