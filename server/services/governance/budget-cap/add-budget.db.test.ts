import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { demoPolicy } from "#server/policy/demo-policy.ts";
import type { Actor, ServiceContext } from "#server/services/core/context.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import { changeBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { publishPolicy } from "../policy/publish.ts";
import { approveProposal } from "../proposal/decide.ts";
import { listCapProposals } from "../proposal/list.ts";
import { addBudget } from "./add-budget.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
	await publishPolicy(books, { name: "default", source: demoPolicy({ capUsd: 500 }), message: "first" });
});
afterEach(() => books.database.drop());

const as = (accountId: string, role: "platform" | "finance" | "data_scientist" = "finance"): ServiceContext => {
	const actor: Actor = { kind: "person", accountId, name: accountId, role, teams: ["risk"], via: "session" };
	return { ...books, actor };
};
const NLP = { id: "nlp-month", scope: 'job.team == "nlp"', period: "month" as const, capUsd: "40.5", message: "a new team" };
const budgetIds = async () => (await listBudgets(books)).map(({ id }) => id);

describe("addBudget", () => {
	it("appends the budget to the text, in the name of a finance person, and audits it", async () => {
		const before = await activePolicy(books.db);
		expect(await addBudget(as("usr_fin"), NLP)).toMatchObject({ kind: "changed", policyVersion: 2, toMicroUsd: 40_500_000n });
		const active = await activePolicy(books.db);
		expect(active.author).toBe("account:usr_fin");
		expect(active.policy.rules).toEqual(before.policy.rules);
		expect(active.policy.budgets.at(-1)).toMatchObject({ id: "nlp-month", scope: NLP.scope, capMicroUsd: 40_500_000n, atCap: "hold" });
		expect(await budgetIds()).toEqual([...before.policy.budgets.map(({ id }) => id), "nlp-month"]);
		const [line] = await books.db.select().from(audit).where(eq(audit.action, "budget.add"));
		expect(line).toMatchObject({
			...{ actor: "account:usr_fin", subject: "nlp-month", before: null },
			after: { capMicroUsd: "40500000", policyVersion: 2, message: "a new team", scope: NLP.scope, period: "month" },
		});
	});

	it("rejects a data scientist, a name in use, a scope that is no condition, and an invalid name", async () => {
		await expect(addBudget(as("usr_ds", "data_scientist"), NLP)).rejects.toMatchObject({ code: "forbidden" });
		await expect(addBudget(as("a"), { ...NLP, id: "cloud-month" })).rejects.toMatchObject({ code: "conflict" });
		await expect(addBudget(as("a"), { ...NLP, scope: "job.tem ==" })).rejects.toMatchObject({ code: "invalid_input" });
		await expect(addBudget(as("a"), { ...NLP, id: "a: b" })).rejects.toThrow(/letters, digits/);
		expect((await activePolicy(books.db)).version).toBe(1);
	});

	it("keeps names and scopes that YAML would read as something else", async () => {
		await addBudget(as("a"), { ...NLP, id: "2026", scope: 'job.name == "a: #1"' });
		expect((await activePolicy(books.db)).policy.budgets.at(-1)).toMatchObject({ id: "2026", scope: 'job.name == "a: #1"' });
	});

	it("adds one of two simultaneous budgets with the same name", async () => {
		const results = await Promise.allSettled([addBudget(as("a"), NLP), addBudget(as("b"), NLP)]);
		expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
	});

	it("waits for a second person, and is then added", async () => {
		await changeBudgetSettings(as("usr_a"), { secondPerson: true });
		const result = await addBudget(as("usr_a"), NLP);
		if (result.kind !== "proposed") throw new Error("was added at once");
		expect(await budgetIds()).not.toContain("nlp-month");
		expect(await listCapProposals(as("usr_b"))).toMatchObject([{ budgetId: "nlp-month", added: { scope: NLP.scope, period: "month" } }]);
		await expect(approveProposal(as("usr_a"), result.proposalId)).rejects.toMatchObject({ code: "forbidden" });
		expect(await approveProposal(as("usr_b", "platform"), result.proposalId)).toEqual({ policyVersion: 2 });
		expect(await budgetIds()).toContain("nlp-month");
	});
});
