import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { team } from "#server/db/schema/account.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { policyPublication, policy as policyTable, policyVersion } from "#server/db/schema/policy.ts";
import { site } from "#server/db/schema/site.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { publishPolicy } from "./publish.ts";
import { viewPolicy } from "./view.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
	await books.db.insert(site).values({ id: "aws", name: "aws", provider: "aws", settings: {}, healthy: true }).onConflictDoNothing();
	await books.db.insert(team).values({ name: "risk" }).onConflictDoNothing();
});
afterEach(() => books.database.drop());

const textOf = (rules: string[], more: string[] = []): string =>
	[
		"apiVersion: spillway/v1",
		"kind: Policy",
		"metadata: { name: default }",
		"spec:",
		"  rules:",
		...rules.map((r) => `    - ${r}`),
		...more,
	].join("\n");
const publish = (source: string) => publishPolicy(books, { name: "default", message: "test", source });
/** As if published when it was accepted. */
async function putInForce(source: string): Promise<void> {
	await books.db
		.insert(policyVersion)
		.values({ name: "default", version: 2, source, author: "test", message: "test", createdAt: new Date(books.clock.nowMs()) });
	await books.db.update(policyTable).set({ activeVersion: 2 }).where(eq(policyTable.name, "default"));
}
const BURST = "{ id: away, burst: { always: true } }";

describe("publishing a policy", () => {
	it("checks the existing sites: a rule for another one is rejected with its position", async () => {
		const wrong = publish(textOf([BURST, "{ id: no-gcp, deny: { sites: [awz] } }"]));
		await expect(wrong).rejects.toMatchObject({
			code: "invalid_input",
			fields: [{ message: 'There is no site "awz". Did you mean aws?', line: 7 }],
		});
		await expect(activePolicy(books.db)).rejects.toMatchObject({ code: "unavailable" });
	});

	it("checks the existing teams, in shares and in conditions", async () => {
		const wrong = publish(textOf(["{ id: away, when: job.team == 'rsik', burst: { always: true } }"], ["  shares: { rizk: 2 }"]));
		await expect(wrong).rejects.toMatchObject({
			code: "invalid_input",
			fields: expect.arrayContaining([
				expect.objectContaining({ message: 'There is no team "rsik". Did you mean risk?', line: 6 }),
				expect.objectContaining({ message: 'There is no team "rizk". Did you mean risk?', line: 7 }),
			]),
		});
	});

	it("returns warnings, and a later read returns the same", async () => {
		const { version, warnings } = await publish(textOf([BURST]));
		expect(version).toBe(1);
		expect(warnings.map(({ severity, line, message }) => `${severity} ${line} ${message}`)).toEqual([
			expect.stringMatching(/^warning \d+ .*no budget caps the cost/),
		]);
		expect((await viewPolicy(books, "default")).warnings).toEqual(warnings);
	});
});

describe("a policy in force", () => {
	it("stays as accepted when a later check would reject it", async () => {
		await publish(textOf([BURST]));
		// Content that an earlier version accepted: two rules of one name, a site that no longer exists, a limit on an unmeasured
		// value.
		const stored = textOf([
			BURST,
			"{ id: twice, deny: { sites: [gone] } }",
			"{ id: twice, limit: { instanceHours: 3 } }",
			"{ id: idle, limit: { idleMinutes: 10 } }",
			"{ id: theirs, when: job.team == 'dissolved', limit: { instanceHours: 2 } }",
		]);
		expect(parsePolicy(stored).policy).toBeNull();
		await putInForce(stored);
		const { policy } = await activePolicy(books.db);
		expect(policy.rules.map((rule) => rule.id)).toEqual(["away", "twice", "twice", "idle", "theirs"]);
		const { warnings } = await viewPolicy(books, "default");
		const errors = warnings.filter((w) => w.severity === "error").map((w) => w.message);
		expect(errors).toEqual(expect.arrayContaining(['There is no site "gone".', 'There is no team "dissolved".']));
	});

	it("is not applied with a rule left out: text that cannot be parsed is reported", async () => {
		await publish(textOf([BURST]));
		await putInForce(textOf([BURST, "{ id: new, forbid: { sites: [cloud] } }"]));
		await expect(activePolicy(books.db)).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("forbid") });
	});
});

describe("publishing a policy in the browser", () => {
	const NEXT = textOf([BURST, "{ id: life, limit: { instanceHours: 2 } }"]);
	const inBrowser = (more: { backtestId?: string; noBacktestReason?: string }) =>
		publishPolicy(
			{ ...books, actor: { kind: "person", accountId: "usr_1", name: "Ada", role: "platform", teams: [], via: "session" } },
			{ name: "default", message: "test", source: NEXT, baseVersion: 1, origin: { kind: "browser" }, ...more },
		);
	const addBacktest = (state: "running" | "done", source = NEXT) => {
		const at = new Date(books.clock.nowMs());
		const row = { id: `btst_${state}`, policyName: "default", baseVersion: 1, source, fromTime: at, toTime: at, state, createdAt: at };
		return books.db.insert(backtest).values({ ...row, createdBy: "account:usr_1" });
	};

	it("requires a finished backtest of its text, or a reason that is stored with the version", async () => {
		await publish(textOf([BURST]));
		await expect(inBrowser({})).rejects.toMatchObject({ code: "invalid_input", fields: [{ path: "noBacktestReason" }] });
		await addBacktest("running");
		await expect(inBrowser({ backtestId: "btst_running" })).rejects.toMatchObject({ fields: [{ message: "is running, not finished" }] });
		await expect(inBrowser({ noBacktestReason: "Outage: no time to wait" })).resolves.toMatchObject({ version: 2 });
		const [last] = await books.db.select().from(policyPublication).where(eq(policyPublication.version, 2));
		expect(last).toMatchObject({ backtestId: null, noBacktestReason: "Outage: no time to wait" });
	});

	it("requires no reason with a finished backtest", async () => {
		await publish(textOf([BURST]));
		await addBacktest("done");
		await expect(inBrowser({ backtestId: "btst_done" })).resolves.toMatchObject({ outcome: "published", version: 2 });
	});
});
