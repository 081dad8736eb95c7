import Link from "next/link";
import { billsHref } from "#components/bills/params.ts";
import { budgetsHref } from "#components/budgets/params.ts";
import { CORRECTION_WORD } from "#components/spend/prepare-charges.ts";
import { type ChargesView, chargesHref } from "#components/spend/view.ts";
import { statementHref } from "#components/statements/search-params.ts";
import { formatExact } from "#components/time/format-time.ts";
import { Icon } from "#components/ui/icon.tsx";
import { parseLedgerCut } from "#server/domain/ledger-cut.ts";
import { monthWords } from "#server/domain/statement-words.ts";

const LOST_WORD = {
	failed: "Attempts that failed",
	interrupted: "Attempts whose spot machine was taken back",
	evicted: "Attempts whose machine was unfit or expired",
	lost: "Attempts that were lost",
	cut_short: "Attempts that were taken back, evicted or lost",
	cancelled: "Attempts that were cancelled",
	any: "Attempts that did not finish",
} as const;

/** What the charges are restricted to beside the filters: one job, a budget, or work that was lost. Each can be taken away. */
export function ChargesScope({ view }: { view: ChargesView }) {
	const { job, lost, withoutIdle, cause, correction, asOf, since, budget, bills } = view;
	if ([job, lost, cause, correction, asOf, since, budget, bills].every((part) => part === null) && !withoutIdle) return null;
	return (
		<div className="flex flex-wrap items-center gap-2 text-ink-2">
			{view.job !== null && (
				<Scope clearHref={chargesHref({ ...view, job: null })} clears="the job">
					Of one job:{" "}
					<Link href={`/jobs/${view.job}`} className="font-mono text-xs text-accent hover:underline">
						{view.job}
					</Link>
				</Scope>
			)}
			{budget !== null && (
				<Scope clearHref={chargesHref({ ...view, budget: null })} clears="the budget">
					Counted by the budget{" "}
					<Link href={budgetsHref({ budget })} className="text-accent hover:underline">
						{budget}
					</Link>
				</Scope>
			)}
			{bills !== null && (
				<Scope clearHref={chargesHref({ ...view, bills: null })} clears="the month of the bills, to see the days of the ledger's calendar">
					In {monthWords(bills)} of UTC, as{" "}
					<Link href={billsHref({ month: bills })} className="text-accent hover:underline">
						providers bill
					</Link>
				</Scope>
			)}
			{cause !== null && (
				<Scope clearHref={chargesHref({ ...view, cause: null })} clears="the cause">
					Of one cause: <span className="font-mono text-xs">{cause}</span>
				</Scope>
			)}
			{correction !== null && (
				<Scope clearHref={chargesHref({ ...view, correction: null })} clears="the restriction to corrections">
					Corrections: {correction.map((why) => CORRECTION_WORD[why]).join("; ")}
				</Scope>
			)}
			{asOf !== null && (
				<Scope clearHref={chargesHref({ ...view, asOf: null })} clears="the cut, to see them as they stand now">
					As the ledger stood at <CutWords cut={asOf} />
				</Scope>
			)}
			{since !== null && (
				<Scope clearHref={chargesHref({ ...view, since: null })} clears="the restriction to later charges">
					Posted later than <CutWords cut={since} />
				</Scope>
			)}
			{view.withoutIdle && (
				<Scope clearHref={chargesHref({ ...view, withoutIdle: false })} clears="the restriction to what was used">
					Without hardware that no job used
				</Scope>
			)}
			{view.lost !== null && (
				<Scope clearHref={chargesHref({ ...view, lost: null })} clears="the restriction to lost work">
					{LOST_WORD[view.lost]} and ended in these days, with all that they cost
				</Scope>
			)}
		</div>
	);
}

/** A version's closing with a way to it, or an instant. */
function CutWords({ cut: text }: { cut: string }) {
	const cut = parseLedgerCut(text);
	if (cut === null) return null;
	if ("atMs" in cut) return <time dateTime={new Date(cut.atMs).toISOString()}>{formatExact(cut.atMs)}</time>;
	const { month, team, version } = cut;
	return (
		<>
			the closing of{" "}
			<Link href={statementHref(month, team, version)} className="text-accent hover:underline">
				{monthWords(month)}
				{team && `, ${team}`}, version {version}
			</Link>
		</>
	);
}

function Scope({ clearHref, clears, children }: { clearHref: string; clears: string; children: React.ReactNode }) {
	return (
		<span className="inline-flex min-h-7.5 items-center gap-1.5 rounded-lg border border-line-strong bg-panel px-2.5 py-0.5 text-ink">
			<span>{children}</span>
			<Link
				href={clearHref}
				replace
				scroll={false}
				aria-label={`Clear ${clears}`}
				className="-mr-1 grid size-6 place-items-center text-ink-3"
			>
				<Icon name="x" className="size-3" />
			</Link>
		</span>
	);
}
