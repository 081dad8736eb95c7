import { formatMoney } from "#components/money/format-money.ts";
import type { TokenScope } from "#server/domain/token-scopes.ts";
import { usdToMicro } from "#server/kernel/money.ts";

export const SCOPE_TEXT: Record<TokenScope, { label: string; hint: string }> = {
	read: { label: "Read", hint: "Lists, details, reports and quotes." },
	jobs: { label: "Jobs", hint: "Submit and cancel jobs." },
	money: { label: "Money", hint: "Budgets, rates, bills and statements." },
	policy: { label: "Policy", hint: "Drafts, publishing and approvals." },
	sites: { label: "Sites", hint: "Add, change and remove sites." },
	accounts: { label: "Accounts", hint: "People, teams and tokens." },
};

/** `null` is every scope. */
export function scopesText(scopes: readonly string[] | null): string {
	return scopes === null ? "all" : scopes.join(", ");
}

/** `null` is no limit. */
export function approvalText(approvalAboveUsd: number | null): string {
	return approvalAboveUsd === null ? "No limit" : formatMoney(usdToMicro(approvalAboveUsd.toFixed(6)), "price");
}
