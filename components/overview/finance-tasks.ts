import { billsHref } from "#components/bills/params.ts";
import { statementHref } from "#components/statements/search-params.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { monthWords } from "#server/domain/statement-words.ts";

type Month = Outputs["statement"]["list"]["items"][number];
type Bill = Pick<Outputs["bill"]["list"][number], "months">;
type Reconciled = Pick<Outputs["bill"]["reconciliation"], "providers">;

export type FinanceTask = {
	id: string;
	title: string;
	note: string;
	href: string /** null: unknown before closing. */;
	microUsd: bigint | null;
};

/** Ended months that still need work, oldest last. */
const MONTHS_BACK = 3;

const ACTIONS: Partial<Record<Month["state"], { title: string; note: string }>> = {
	to_close: { title: "Close", note: "posted" },
	changed: { title: "Close again", note: "changed since closing" },
	closed: { title: "Sign", note: "closed, not signed" },
};

/** Months to close, sign or reconcile, newest first. @param reconciled bills of the last ended month against the ledger */
export function financeTasks(months: readonly Month[], bills: readonly Bill[], reconciled: Reconciled | null): FinanceTask[] {
	const ended = months.filter(({ state }) => state !== "open").slice(0, MONTHS_BACK);
	const last = ended[0];
	return [
		...ended.flatMap((month): FinanceTask[] => {
			const action = ACTIONS[month.state];
			if (!action) return [];
			const microUsd = month.closed?.changedSince?.deltaMicroUsd ?? month.closed?.totalMicroUsd ?? month.ledgerMicroUsd;
			const title = `${action.title} ${monthWords(month.month)}`;
			return [{ id: `close/${month.month}`, title, note: action.note, href: statementHref(month.month, ""), microUsd: BigInt(microUsd) }];
		}),
		...ended.flatMap(({ month, closed }): FinanceTask[] => {
			const microUsd = closed ? BigInt(closed.cloudMicroUsd) : null;
			if (microUsd === 0n || bills.some(({ months: billed }) => billed.includes(month))) return [];
			const title = `Import bills of ${monthWords(month)}`;
			return [{ id: `bill/${month}`, title, note: "no bill imported", href: "/statements", microUsd }];
		}),
		...(last && reconciled ? unexplained(last.month, reconciled) : []),
	];
}

function unexplained(month: string, { providers }: Reconciled): FinanceTask[] {
	return providers.flatMap(({ provider, unexplainedMicroUsd }): FinanceTask[] => {
		const microUsd = BigInt(unexplainedMicroUsd);
		if (microUsd === 0n) return [];
		return [
			{
				id: `difference/${month}/${provider}`,
				title: `Explain the ${provider} bill of ${monthWords(month)}`,
				note: "differs from the ledger",
				href: billsHref({ month }),
				microUsd,
			},
		];
	});
}
