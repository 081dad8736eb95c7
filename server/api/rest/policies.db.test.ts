import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { policyDraft, policyPublication } from "#server/db/schema/policy.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";

let world: RestWorld;
/** A second platform engineer. */
let other: string;
let first: { source: string; etag: string };
beforeEach(async () => {
	world = await RestWorld.open();
	const { db } = world.database;
	await db
		.insert(account)
		.values({ id: "usr_bob", email: "bob@example.test", name: "Bob", role: "platform", teams: [], createdAt: new Date() });
	other = (await issueToken(db, { accountId: "usr_bob", name: "test", nowMs: Date.now() })).token;
	const { json, headers } = await world.get("/policies/default");
	first = { source: json.source, etag: headers.get("etag") ?? "" };
});
afterEach(() => world.close());

const put = (body: object, etag: string | null, token?: string, more: Record<string, string> = {}) =>
	world.call("PUT", "/api/v1/policies/default", {
		...(token === undefined ? {} : { token }),
		body: { message: "for a test", ...body },
		headers: { ...(etag === null ? {} : { "if-match": etag }), ...more },
	});
const withWait = (wait: string) => first.source.replace("forecastWait: 10s", `forecastWait: ${wait}`);
const withLife = (hours: number, of = first.source) => of.replace("instanceHours: 1", `instanceHours: ${hours}`);
const inForce = async () => (await world.get("/policies/default")).json;

describe("PUT with entity tags", () => {
	it("publishes on the basis of the version seen; without one 428, with an old one 412 that reports who, when and what", async () => {
		expect(first.etag).toMatch(/^"v1-[0-9a-f]{16}"$/);
		expect(await put({ source: withWait("20s") }, null)).toMatchObject({ status: 428, json: { code: "precondition_required" } });
		const done = await put({ source: withWait("20s") }, first.etag);
		expect(done).toMatchObject({ status: 200, json: { outcome: "published", version: 2, proposalId: null } });
		expect(done.headers.get("etag")).toBe((await world.get("/policies/default")).headers.get("etag"));
		const stale = await put({ source: withLife(3) }, first.etag, other);
		expect(stale).toMatchObject({ status: 412, json: { code: "precondition_failed" } });
		expect(stale.json.detail).toMatch(/^platform published version 2 at 20\S+Z; yours began from version 1\.$/);
		expect(stale.json.fields).toMatchObject([{ path: "burst-on-wait", message: expect.stringMatching(/^changed to: .*20s.*was: .*10s/) }]);
		expect((await inForce()).version).toBe(2);
		// Merged as the response says, it is published.
		const merged = (await world.post("/policies/default/merge", { baseVersion: 1, source: withLife(3) })).json;
		expect(merged).toEqual({ text: withLife(3, withWait("20s")), conflicts: [], baseVersion: 2 });
		expect((await put({ source: merged.text }, done.headers.get("etag"), other)).json).toMatchObject({ version: 3 });
	});

	it("publishes only one of many concurrent texts based on one version", async () => {
		const all = await Promise.all(
			[2, 3, 4, 5, 6, 7].map((hours) => put({ source: withLife(hours) }, first.etag, hours % 2 ? other : undefined)),
		);
		expect(all.map((r) => r.status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
		expect((await world.get("/policies/default/versions")).json.items.map((v: { version: number }) => v.version)).toEqual([2, 1]);
	});

	it("handles HTTP tags: lists, any, weak, made up; a known response is 304", async () => {
		const made = `"v1-0000000000000000"`;
		expect(await put({ source: withWait("20s") }, made)).toMatchObject({ status: 412 });
		expect(await put({ source: withWait("20s") }, `W/${first.etag}`)).toMatchObject({ status: 412 });
		expect(await put({ source: withWait("20s") }, "gibberish")).toMatchObject({ status: 412 });
		expect(await put({ source: withWait("20s") }, null, undefined, { "if-none-match": "*" })).toMatchObject({ status: 412 });
		expect(await put({ source: withWait("20s") }, `${made}, ${first.etag}`)).toMatchObject({ status: 200 });
		expect(await put({ source: withWait("30s") }, "*")).toMatchObject({ status: 200, json: { version: 3 } });
		const { headers } = await world.get("/policies/default");
		const known = await world.get("/policies/default", { headers: { "if-none-match": headers.get("etag") ?? "" } });
		expect(known).toMatchObject({ status: 304, text: "" });
	});

	it("creates no version for the same text, even with an old tag; rejects another name, another policy and errors with their position", async () => {
		await put({ source: withWait("20s") }, first.etag);
		expect(await put({ source: withWait("20s") }, first.etag)).toMatchObject({ status: 200, json: { outcome: "unchanged", version: 2 } });
		const etag = (await inForce()).etag;
		const renamed = await put({ source: first.source.replace("name: default", "name: mine") }, etag);
		expect(renamed).toMatchObject({
			status: 400,
			json: { fields: [{ line: 3, column: 13, message: expect.stringContaining('names itself "mine"') }] },
		});
		const wrong = first.source.replace("burst:", "brust:");
		const refused = await put({ source: wrong }, etag);
		const { problems } = (await world.post("/policies/default/check", { source: wrong })).json;
		expect(refused.json.fields[0]).toMatchObject({ line: problems[0].line, column: problems[0].column });
		expect(refused.json.fields[0].message).toContain(problems[0].message);
		expect(
			await world.call("PUT", "/api/v1/policies/two", {
				body: { source: first.source, message: "another" },
				headers: { "if-none-match": "*" },
			}),
		).toMatchObject({ status: 404 });
		expect(await put({ source: withWait("1m") }, etag, world.tokens.finance)).toMatchObject({ status: 403 });
		expect((await inForce()).version).toBe(2);
	});

	it("accepts YAML unchanged", async () => {
		const yaml = { body: withWait("40s"), headers: { "content-type": "application/yaml", "if-match": first.etag } };
		expect(await world.call("PUT", "/api/v1/policies/default?message=as+a+file", yaml)).toMatchObject({ status: 200 });
		expect(await inForce()).toMatchObject({ message: "as a file", source: withWait("40s"), origin: { kind: "api" } });
	});
});

describe("versions", () => {
	it("are listed with their publications; a rollback puts an older one in force without creating one", async () => {
		await put({ source: withLife(2) }, first.etag);
		await put({ source: withLife(3) }, (await inForce()).etag, other);
		const back = await world.post("/policies/default/rollback", { version: 2, message: "too long", baseVersion: 3 });
		expect(back).toMatchObject({ status: 200, json: { outcome: "published", version: 2 } });
		expect(await inForce()).toMatchObject({ version: 2, rolledBack: true, source: withLife(2) });
		const { items, nextBefore } = (await world.get("/policies/default/versions?limit=2")).json;
		expect(items).toMatchObject([
			{ version: 3, authorName: "Bob", inForce: false, baseVersion: 2, publications: [{ kind: "publish", byName: "Bob" }] },
			{ version: 2, inForce: true, publications: [{ kind: "publish" }, { kind: "rollback", byName: "platform" }] },
		]);
		expect(nextBefore).toBe(2);
		// The next one is the fourth, and its base is recorded.
		expect((await put({ source: withLife(9) }, (await inForce()).etag)).json.version).toBe(4);
		expect((await world.get("/policies/default/versions/4")).json).toMatchObject({ baseVersion: 2, source: withLife(9), inForce: true });
		const { changes, lines } = (await world.get("/policies/default/diff?from=2&to=4")).json;
		expect(changes).toMatchObject([{ kind: "changed", id: "life" }]);
		expect(lines.map((r: { kind: string }) => r.kind)).toEqual(["same", "removed", "added", "same"]);
		expect(await world.post("/policies/default/rollback", { version: 3, message: "again", baseVersion: 3 })).toMatchObject({ status: 412 });
		expect(await world.post("/policies/default/rollback", { version: 77, message: "nothing there" })).toMatchObject({ status: 404 });
		expect(await world.get("/policies/default/versions/x")).toMatchObject({ status: 404 });
		const lined = await world.database.db.select().from(audit).where(eq(audit.action, "policy.rollback"));
		expect(lined).toMatchObject([{ actor: "account:usr_platform", before: { version: 3 }, after: { version: 2, message: "too long" } }]);
	});
});

describe("a second person", () => {
	beforeEach(async () => {
		expect(await world.call("PUT", "/api/v1/policy-settings", { body: { secondPerson: true } })).toMatchObject({ status: 200 });
	});

	/** One person proposes to skip it, and the other approves. */
	const doWithout = async () => {
		const asked = await world.call("PUT", "/api/v1/policy-settings", { body: { secondPerson: false } });
		expect(asked).toMatchObject({ status: 202, json: { secondPerson: true } });
		expect(await world.post(`/proposals/${asked.json.proposalId}/approve`, {})).toMatchObject({ status: 403 });
		expect(await world.post(`/proposals/${asked.json.proposalId}/approve`, {}, { as: "finance" })).toMatchObject({ status: 403 });
		expect(await world.post(`/proposals/${asked.json.proposalId}/approve`, {}, { token: other })).toMatchObject({ status: 200 });
		expect((await world.get("/policy-settings")).json).toEqual({ secondPerson: false });
	};

	it("must approve, and not their own proposal; both are audited", async () => {
		const asked = await put({ source: withLife(2) }, first.etag);
		expect(asked).toMatchObject({ status: 202, json: { outcome: "proposed", version: 1 } });
		expect(asked.headers.get("etag")).toBe(first.etag);
		const id = asked.json.proposalId;
		// The same text again is the same proposal; another one waits.
		expect((await put({ source: withLife(2) }, first.etag)).json.proposalId).toBe(id);
		expect(await put({ source: withLife(5) }, first.etag, other)).toMatchObject({ status: 409 });
		expect((await world.get("/proposals")).json.items).toMatchObject([{ id, kind: "policy_publish", mine: true, source: withLife(2) }]);
		expect(await world.post(`/proposals/${id}/approve`, {})).toMatchObject({ status: 403 });
		expect(await world.post(`/proposals/${id}/approve`, {}, { as: "finance" })).toMatchObject({ status: 403 });
		expect((await inForce()).version).toBe(1);
		expect(await world.post(`/proposals/${id}/approve`, {}, { token: other })).toMatchObject({ status: 200, json: { policyVersion: 2 } });
		expect(await inForce()).toMatchObject({ version: 2, authorName: "platform", source: withLife(2) });
		const [publication] = await world.database.db.select().from(policyPublication).where(eq(policyPublication.version, 2));
		expect(publication).toMatchObject({ publishedBy: "account:usr_platform", approvedBy: "account:usr_bob" });
	});

	it("is required for a rollback too; an ended proposal cannot be approved", async () => {
		const { proposalId } = (await put({ source: withLife(2) }, first.etag)).json;
		await world.post(`/proposals/${proposalId}/approve`, {}, { token: other });
		const back = await world.post("/policies/default/rollback", { version: 1, message: "take it back" });
		expect(back).toMatchObject({ status: 202, json: { outcome: "proposed", version: 2 } });
		await doWithout();
		await put({ source: withLife(7) }, (await inForce()).etag);
		expect(await world.post(`/proposals/${back.json.proposalId}/approve`, {}, { token: other })).toMatchObject({ status: 409 });
		expect(await world.post(`/proposals/${back.json.proposalId}/reject`, {})).toMatchObject({ json: { decision: "withdrawn" } });
	});
});

describe("a policy kept in git", () => {
	const origin = { kind: "git", repository: "git@example.test:infra/spillway.git", commit: "0123abcd", path: "policy.yaml" };

	it("changes only from git, and shows its source, until it is detached", async () => {
		expect(await put({ source: withLife(2), origin }, first.etag)).toMatchObject({ status: 200, json: { version: 2 } });
		const { etag, managedBy } = await inForce();
		expect(managedBy).toEqual({ kind: "git", repository: origin.repository, path: origin.path });
		const refused = await put({ source: withLife(3) }, etag);
		expect(refused).toMatchObject({
			status: 403,
			json: { detail: expect.stringContaining("policy.yaml in git@example.test:infra/spillway.git") },
		});
		expect(await put({ source: withLife(3), origin: { ...origin, path: "other.yaml" } }, etag)).toMatchObject({ status: 403 });
		expect(await world.post("/policies/default/rollback", { version: 1, message: "by hand" })).toMatchObject({ status: 403 });
		const cap = { capUsd: "5", message: "by hand" };
		expect(await world.call("PUT", "/api/v1/budgets/cloud-month", { body: cap })).toMatchObject({ status: 403 });
		expect(await put({ source: withLife(4), origin }, etag)).toMatchObject({ json: { version: 3 } });
		expect(await world.post("/policies/default/unmanage", {})).toMatchObject({ json: { wasManagedBy: { path: "policy.yaml" } } });
		expect(await put({ source: withLife(5) }, (await inForce()).etag)).toMatchObject({ status: 200, json: { version: 4 } });
		const actions = (await world.database.db.select({ action: audit.action }).from(audit).orderBy(audit.id)).map((a) => a.action);
		expect(actions.filter((a) => a.startsWith("policy."))).toEqual([
			...["policy.publish", "policy.publish", "policy.publish", "policy.unmanage", "policy.publish"],
		]);
	});

	it("is attached by the first apply, even if the text changes nothing", async () => {
		expect(await put({ source: first.source, origin }, first.etag)).toMatchObject({ json: { outcome: "unchanged", version: 1 } });
		expect((await inForce()).managedBy).toMatchObject({ path: "policy.yaml" });
	});
});

describe("a draft", () => {
	const draft = (body: object, token?: string) =>
		world.call("PUT", "/api/v1/policies/default/draft", { body, ...(token === undefined ? {} : { token }) });

	it("is personal, accepts any text, and records its base version; an outdated window is notified", async () => {
		expect(await world.get("/policies/default/draft")).toMatchObject({ status: 404 });
		const one = await draft({ source: "spec: [not yet", baseVersion: 1, previousUpdatedAt: null });
		expect(one.status).toBe(200);
		expect((await world.get("/policies/default/draft")).json).toMatchObject({ source: "spec: [not yet", baseVersion: 1 });
		expect(await world.get("/policies/default/draft", { token: other })).toMatchObject({ status: 404 });
		expect(await world.get("/policies/default/draft", { as: "scientist" })).toMatchObject({ status: 403 });
		const two = await draft({ source: "two", baseVersion: 1, previousUpdatedAt: one.json.updatedAt });
		expect(await draft({ source: "late", baseVersion: 1, previousUpdatedAt: one.json.updatedAt })).toMatchObject({ status: 412 });
		expect(await draft({ source: "a\u0000b", baseVersion: 1 })).toMatchObject({ status: 400 });
		expect((await world.get("/policies/default/draft")).json).toMatchObject({ source: "two", updatedAt: two.json.updatedAt });
	});

	it("is deleted on publication, unless it was changed since", async () => {
		await draft({ source: withLife(2), baseVersion: 1 });
		await draft({ source: "bob goes on", baseVersion: 1 }, other);
		await put({ source: withLife(2) }, first.etag);
		expect(await world.database.db.select().from(policyDraft)).toMatchObject([{ accountId: "usr_bob", source: "bob goes on" }]);
	});
});
