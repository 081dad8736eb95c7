"use client";
import { MonthVariance } from "#components/statements/month-variance.tsx";
import { StatementOwner } from "#components/statements/statement-header.tsx";
import { StatementPaper } from "#components/statements/statement-paper.tsx";
import type { StatementAt } from "#components/statements/statement-query.ts";
import { StatementSide } from "#components/statements/statement-side.tsx";
import { useStatement } from "#components/statements/use-statement.ts";

/** The printable statement next to its actions. */
export function StatementScreen({ at }: { at: StatementAt }) {
	const view = useStatement(at);
	return (
		<div className="grid w-full grid-cols-[minmax(0,1fr)] gap-6 px-3.5 pt-4 pb-10 md:px-6 md:pt-5 rail:grid-cols-[minmax(0,52rem)_18rem] rail:justify-center print:block print:p-0">
			<div className="md:hidden print:hidden">
				<StatementOwner at={at} view={view} />
			</div>
			<div className="grid content-start gap-6 print:block">
				<StatementPaper view={view} />
				<div className="print:hidden">
					<MonthVariance content={view.content} />
				</div>
			</div>
			<StatementSide view={view} />
		</div>
	);
}
