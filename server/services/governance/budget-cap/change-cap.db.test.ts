import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { account } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { proposal } from "#server/db/schema/proposal.ts";
import { demoPolicy } from "#server/policy/demo-policy.ts";
import type { Actor, ServiceContext } from "#server/services/core/context.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import { changeBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { countApprovals } from "#server/services/work/approval/list.ts";
import { publishPolicy } from "../policy/publish.ts";
import { approveProposal, rejectProposal } from "../proposal/decide.ts";
import { listProposals } from "../proposal/list.ts";
import { changeCap } from "./change-cap.ts";

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
const change = (ctx: ServiceContext, capUsd: string, more: { policyVersion?: number } = {}) =>
	changeCap(ctx, { budgetId: "cloud-month", capUsd, message: "two more teams", ...more });
const capNow = async () => (await listBudgets(books))[0]?.capMicroUsd;

describe("changeCap", () => {
	it("publishes the same text with another cap in the person's name, and audits before and after", async () => {
		const before = (await activePolicy(books.db)).source;
		expect(await change(as("usr_fin"), "750.5")).toEqual({
			...{ kind: "changed", policyVersion: 2, fromMicroUsd: 500_000_000n, toMicroUsd: 750_500_000n },
		});
		const active = await activePolicy(books.db);
		expect(active).toMatchObject({ version: 2, author: "account:usr_fin", message: "two more teams" });
		expect(active.source).toBe(before.replace("capUsd: 500,", "capUsd: 750.5,"));
		expect(await capNow()).toBe(750_500_000n);
		const [line] = await books.db.select().from(audit).where(eq(audit.action, "budget.change_cap"));
		expect(line).toMatchObject({
			...{ actor: "account:usr_fin", subject: "cloud-month", before: { capMicroUsd: "500000000" } },
			after: { capMicroUsd: "750500000", policyVersion: 2, message: "two more teams" },
		});
	});

	it("rejects a data scientist, a missing budget, an invalid amount, the same cap, and a version that is no longer in force", async () => {
		await expect(change(as("usr_ds", "data_scientist"), "1")).rejects.toMatchObject({ code: "forbidden" });
		await expect(changeCap(as("a"), { budgetId: "x", capUsd: "1", message: "why not" })).rejects.toMatchObject({ code: "not_found" });
		for (const wrong of ["-5", "1e9", "12.3456789", "", "a lot"]) await expect(change(as("a"), wrong)).rejects.toThrow(/amount of dollars/);
		await expect(change(as("a"), "500")).rejects.toMatchObject({ code: "invalid_input" });
		await expect(change(as("a"), "600", { policyVersion: 7 })).rejects.toMatchObject({ code: "conflict" });
		expect((await activePolicy(books.db)).version).toBe(1);
	});

	it("applies one of ten concurrent changes from the same version; nine get a conflict because the policy changed", async () => {
		const results = await Promise.allSettled(
			Array.from({ length: 10 }, (_, i) => change(as(`usr_${i}`), `${600 + i}`, { policyVersion: 1 })),
		);
		expect(results.filter((r) => r.status === "fulfilled")).toHaveLength(1);
		expect((await activePolicy(books.db)).version).toBe(2);
	});
});

describe("with a second person", () => {
	beforeEach(() => changeBudgetSettings(as("usr_a"), { secondPerson: true }).then(() => {}));
	const propose = async () => {
		const result = await change(as("usr_a"), "900");
		if (result.kind !== "proposed") throw new Error("was changed at once");
		return result.proposalId;
	};

	it("changes nothing until another person approves; then both people are recorded", async () => {
		const id = await propose();
		expect(await capNow()).toBe(500_000_000n);
		expect(await listProposals(as("usr_a"))).toMatchObject([{ id, mine: true, stale: false, decision: null, toMicroUsd: 900_000_000n }]);
		expect(await listProposals(as("usr_b"))).toMatchObject([{ mine: false }]);
		await expect(approveProposal(as("usr_a"), id)).rejects.toMatchObject({ code: "forbidden" });
		await expect(approveProposal(as("usr_c", "data_scientist"), id)).rejects.toMatchObject({ code: "forbidden" });
		expect(await approveProposal(as("usr_b", "platform"), id)).toEqual({ policyVersion: 2 });
		expect(await capNow()).toBe(900_000_000n);
		const [line] = await books.db.select().from(audit).where(eq(audit.action, "budget.change_cap"));
		expect(line).toMatchObject({ actor: "account:usr_b", after: { proposalId: id, proposedBy: "account:usr_a" } });
		await expect(approveProposal(as("usr_b"), id)).rejects.toMatchObject({ code: "conflict" });
	});

	it("cannot be bypassed by one person in both roles, even in the database", async () => {
		const id = await propose();
		const own = { decision: "approved" as const, decidedBy: "account:usr_a", decidedAt: new Date(books.clock.nowMs()) };
		const refused = books.db.update(proposal).set(own).where(eq(proposal.id, id));
		await expect(refused).rejects.toMatchObject({ cause: { constraint_name: "proposal_second_person" } });
	});

	it("makes a proposal stale when the policy changed: it can only be rejected or withdrawn", async () => {
		const id = await propose();
		await publishPolicy(books, { name: "default", source: demoPolicy({ capUsd: 400 }), message: "less" });
		await expect(approveProposal(as("usr_b"), id)).rejects.toMatchObject({ code: "conflict" });
		expect(await listProposals(as("usr_b"))).toMatchObject([{ stale: true, decision: null }]);
		expect(await rejectProposal(as("usr_b"), id)).toEqual({ decision: "rejected" });
		expect(await capNow()).toBe(400_000_000n);
	});

	it("allows one pending proposal per budget, which its proposer may withdraw", async () => {
		const id = await propose();
		await expect(change(as("usr_b"), "800")).rejects.toMatchObject({ code: "conflict" });
		expect(await rejectProposal(as("usr_a"), id)).toEqual({ decision: "withdrawn" });
		expect((await change(as("usr_b"), "800")).kind).toBe("proposed");
	});

	it("applies a change once for two concurrent approvals", async () => {
		const id = await propose();
		const results = await Promise.allSettled([approveProposal(as("usr_b"), id), approveProposal(as("usr_c"), id)]);
		expect(results.map((r) => r.status).sort()).toEqual(["fulfilled", "rejected"]);
		expect((await activePolicy(books.db)).version).toBe(2);
	});

	describe("dropping the second person", () => {
		const off = () => changeBudgetSettings(as("usr_p", "platform"), { secondPerson: false });
		const people = (...ids: string[]) =>
			books.db
				.insert(account)
				.values(ids.map((id) => ({ id, email: `${id}@example.test`, name: id, role: "finance" as const, createdAt: new Date(0) })));

		it("is rejected for finance; a platform engineer may request it, and it takes effect when another person approves", async () => {
			await people("usr_b");
			await expect(changeBudgetSettings(as("usr_a"), { secondPerson: false })).rejects.toMatchObject({ code: "forbidden" });
			const { secondPerson, proposalId } = await off();
			expect(secondPerson).toBe(true);
			const id = proposalId ?? "";
			expect((await off()).proposalId).toBe(id);
			expect((await change(as("usr_p", "platform"), "900")).kind).toBe("proposed");
			await expect(approveProposal(as("usr_p", "platform"), id)).rejects.toMatchObject({ code: "forbidden" });
			await expect(approveProposal(as("usr_c", "data_scientist"), id)).rejects.toMatchObject({ code: "forbidden" });
			expect(await countApprovals(as("usr_b"))).toMatchObject({ changes: 2 });
			expect(await approveProposal(as("usr_b"), id)).toEqual({ policyVersion: null });
			expect((await change(as("usr_p", "platform"), "800")).kind).toBe("changed");
			const lines = await books.db.select().from(audit).where(eq(audit.action, "budget.settings"));
			expect(lines.at(-1)).toMatchObject({ actor: "account:usr_b", after: { secondPerson: false, proposedBy: "account:usr_p" } });
		});

		it("can be withdrawn by the proposer and rejected by another person; a second person stays required", async () => {
			await people("usr_b");
			expect(await rejectProposal(as("usr_p", "platform"), (await off()).proposalId ?? "")).toEqual({ decision: "withdrawn" });
			expect(await rejectProposal(as("usr_b"), (await off()).proposalId ?? "")).toEqual({ decision: "rejected" });
			expect((await change(as("usr_p", "platform"), "900")).kind).toBe("proposed");
		});

		it("takes effect immediately when no one else could approve, and this is in the audit", async () => {
			await people("usr_p", "usr_gone");
			await books.db
				.update(account)
				.set({ disabledAt: new Date(0) })
				.where(eq(account.id, "usr_gone"));
			expect(await off()).toMatchObject({ secondPerson: false, proposalId: null });
			expect(await books.db.$count(audit, eq(audit.actor, "account:usr_p"))).toBeGreaterThan(0);
		});
	});
});
