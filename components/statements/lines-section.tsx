import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { monthBefore } from "#components/statements/drill.ts";
import { None, PaperTable, PTd, PTh, PTr, Section } from "#components/statements/paper.tsx";
import { gpuHours, lineRows } from "#components/statements/prepare-statement.ts";
import type { StatementContent } from "#server/domain/statement.ts";
import { monthWords, partialMonthLabels } from "#server/domain/statement-words.ts";

const nameOf = (month: string) => monthWords(month).split(" ")[0] ?? month;

/** Owned and cloud cost, compared with the previous month. */
export function LinesSection({ content }: { content: StatementContent }) {
	const compares = content.previousTotals !== null;
	const partial = partialMonthLabels(content);
	return (
		<Section title="Owned and cloud">
			<PaperTable aria-label="Owned and cloud">
				<thead>
					<tr>
						<PTh>
							<span className="sr-only">Line</span>
						</PTh>
						<PTh n className="max-md:hidden print:table-cell">
							GPU-hours
						</PTh>
						<PTh n>
							{nameOf(content.month)}
							<Partial words={partial.month} />
						</PTh>
						{compares && (
							<PTh n className="max-md:hidden print:table-cell">
								{nameOf(monthBefore(content.month))}
								<Partial words={partial.before} />
							</PTh>
						)}
						{compares && partial.before === null && <PTh n>Change</PTh>}
					</tr>
				</thead>
				<tbody>
					{lineRows(content).map((row) => (
						<PTr
							key={row.key}
							strong={row.kind !== "line"}
							{...(row.kind === "total" ? { className: "[&>*]:border-t [&>*]:border-t-line-strong" } : {})}
						>
							<PTd>{row.label}</PTd>
							<PTd n className="max-md:hidden print:table-cell">
								{gpuHours(row.gpuMs) ?? <None />}
							</PTd>
							<PTd n>
								<Drill href={row.href} what={row.label}>
									<Money
										value={row.microUsd}
										fact={row.kind === "line" ? undefined : `month/${content.month}/${content.team}/${row.key}`}
									/>
								</Drill>
							</PTd>
							{row.previousMicroUsd !== null && (
								<PTd n className="max-md:hidden print:table-cell">
									<Drill href={row.previousHref} what={`${row.label}, ${nameOf(monthBefore(content.month))}`}>
										<Money value={row.previousMicroUsd} />
									</Drill>
								</PTd>
							)}
							{row.changeMicroUsd !== null && (
								<PTd n>
									<Money value={row.changeMicroUsd} signed />
								</PTd>
							)}
						</PTr>
					))}
				</tbody>
			</PaperTable>
		</Section>
	);
}

/** The days with charges, shown below a month's name. */
function Partial({ words }: { words: string | null }) {
	return words === null ? null : <span className="block font-book text-warn-ink">{words}</span>;
}
