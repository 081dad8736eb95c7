"use client";
import { type ReactNode, useState } from "react";
import { billsOfStatement } from "#components/bills/params.ts";
import { budgetDrill } from "#components/budgets/drill.ts";
import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { NoteDialog } from "#components/statements/note-dialog.tsx";
import { PaperTable, PTd, PTh, PTr, Remark, Section } from "#components/statements/paper.tsx";
import type { StatementView } from "#components/statements/use-statement.ts";
import { Button } from "#components/ui/button.tsx";
import { Link } from "#components/ui/link.tsx";
import { cutOfVersion } from "#server/domain/ledger-cut.ts";

/** Budgets and actuals, with a note for each overrun. */
export function BudgetsSection({ view }: { view: StatementView }) {
	const { budgets } = view.content;
	if (budgets.length === 0) return null;
	return (
		<Section title="Budgets">
			<PaperTable aria-label="Budgets">
				<thead>
					<tr>
						<PTh>Budget</PTh>
						<PTh n>Cap</PTh>
						<PTh n>Actual</PTh>
						<PTh n>Difference</PTh>
					</tr>
				</thead>
				<tbody>
					{budgets.map((b) => (
						<PTr key={b.id}>
							<PTd>
								<span className="font-strong">{b.id}</span>
								<span className="text-ink-3">
									, {b.period} from {b.periodKey}
								</span>
								<Note view={view} subject={`budget:${b.id}`} label={`budget ${b.id}`} text={b.note} />
							</PTd>
							<PTd n>
								<Money value={b.capMicroUsd} />
							</PTd>
							<PTd n>
								<Drill
									href={b.postedMicroUsd === "0" ? null : budgetDrill(b, { asOf: cutOfVersion(view.content) })}
									what={`Posted to ${b.id}`}
								>
									<Money value={b.postedMicroUsd} />
								</Drill>
							</PTd>
							<PTd n className={BigInt(b.varianceMicroUsd) > 0n ? "font-semibold text-risk-ink" : ""}>
								<Money value={b.varianceMicroUsd} signed />
							</PTd>
						</PTr>
					))}
				</tbody>
			</PaperTable>
			<Remark>Actual is cloud spend of the whole period as posted at closing; the cap is from the policy at month end.</Remark>
		</Section>
	);
}

/** Provider bills compared with the ledger. */
export function BillsSection({ view }: { view: StatementView }) {
	const { bills } = view.content;
	return (
		<Section title="Bill reconciliation">
			{bills.length === 0 ? (
				<Remark>No bill was reconciled before this statement; cloud amounts are from the ledger.</Remark>
			) : (
				<PaperTable aria-label="Bill reconciliation">
					<thead>
						<tr>
							<PTh>Provider</PTh>
							<PTh n>Ledger</PTh>
							<PTh n>Billed</PTh>
							<PTh n className="max-md:hidden print:table-cell">
								Adjusted
							</PTh>
							<PTh n>Unexplained</PTh>
						</tr>
					</thead>
					<tbody>
						{bills.map((b) => (
							<PTr key={b.provider}>
								<PTd>
									<span className="font-strong">{b.provider}</span>
									<span className="text-ink-3">
										, {b.resources} resources{b.unknown > 0 && `, ${b.unknown} of them not in the ledger`}
									</span>
									<Note view={view} subject={`bill:${b.provider}`} label={`${b.provider} bill`} text={b.note} />
								</PTd>
								{[b.estimatedMicroUsd, b.billedMicroUsd].map((value, i) => (
									<PTd n key={i === 0 ? "ledger" : "billed"}>
										<ToBills view={view} provider={b.provider} what={i === 0 ? "Ledger" : "Billed"}>
											<Money value={value} />
										</ToBills>
									</PTd>
								))}
								<PTd n className="max-md:hidden print:table-cell">
									<ToBills view={view} provider={b.provider} what="Adjusted">
										<Money value={b.adjustedMicroUsd} signed />
									</ToBills>
								</PTd>
								<PTd n className={b.unexplainedMicroUsd === "0" ? "" : "font-semibold text-risk-ink"}>
									<ToBills view={view} provider={b.provider} what="Unexplained">
										<Money value={b.unexplainedMicroUsd} signed />
									</ToBills>
								</PTd>
							</PTr>
						))}
					</tbody>
				</PaperTable>
			)}
		</Section>
	);
}

/** Link to resources and bill lines, for users who can read bills. */
function ToBills({ view, provider, what, children }: { view: StatementView; provider: string; what: string; children: ReactNode }) {
	if (!view.may.readBills) return children;
	return (
		<Link
			href={billsOfStatement(view.content, provider)}
			className="rounded-sm underline-offset-4 hover:text-accent hover:underline max-md:inline-flex max-md:min-h-6 max-md:min-w-6 max-md:items-center"
		>
			{children}
			<span className="sr-only">
				{" "}
				{what}, {provider}: bills
			</span>
		</Link>
	);
}

/** The note on a variance, editable for some users. */
function Note({ view, subject, label, text }: { view: StatementView; subject: string; label: string; text: string | null }) {
	const [writing, setWriting] = useState(false);
	const { month, team } = view.content;
	return (
		<>
			{text !== null && <span className="mt-0.5 block max-w-[52ch] text-pretty whitespace-normal text-ink-2">{text}</span>}
			{view.may.note && (
				<span className="block print:hidden">
					<Button variant="link" size="sm" className="h-5!" onClick={() => setWriting(true)}>
						{text === null ? "Add note" : "Edit note"}
					</Button>
				</span>
			)}
			{writing && (
				<NoteDialog
					at={{ month, team }}
					subject={subject}
					label={label}
					text={text ?? ""}
					closed={view.shown !== null}
					onClose={() => setWriting(false)}
				/>
			)}
		</>
	);
}
