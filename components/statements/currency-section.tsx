import { formatMoney } from "#components/money/format-money.ts";
import { PaperTable, PTd, PTh, PTr, Section } from "#components/statements/paper.tsx";
import type { StatementView } from "#components/statements/use-statement.ts";
import { Link } from "#components/ui/link.tsx";
import { LINE_WORDS, ratesWords, SIDE_WORDS } from "#server/domain/statement-words.ts";

const RATES = (
	<Link href="/settings/currency" className="text-accent underline-offset-4 hover:underline print:hidden">
		Exchange rates
	</Link>
);

interface Row {
	label: string;
	micro: string;
	isTotal?: boolean;
}

/** The month in the reporting currency, with the rates it was converted at. */
export function CurrencySection({ view }: { view: StatementView }) {
	const { inCurrency } = view.content;
	if (view.currencyProblem !== null)
		return (
			<p role="status" className="border-b py-4 text-warn-ink">
				In US dollars only. {view.currencyProblem} {RATES}
			</p>
		);
	if (!inCurrency) return null;
	const { currency, sides, lines, byTeam, byProject, totalMicro } = inCurrency;
	const groups: { title: string; rows: Row[] }[] = [
		{
			title: "Owned and cloud",
			rows: [
				...lines.map(({ key, micro }) => ({ label: LINE_WORDS[key], micro })),
				...sides.map(({ key, micro }) => ({ label: `${SIDE_WORDS[key]} total`, micro, isTotal: true })),
				{ label: "Total", micro: totalMicro, isTotal: true },
			],
		},
		{ title: "By team", rows: byTeam.map(({ key, micro }) => ({ label: key || "(no team)", micro })) },
		{ title: "By project", rows: byProject.map(({ key, micro }) => ({ label: key || "(no project)", micro })) },
	];
	return (
		<Section title={`In ${currency}`}>
			<p className="pb-2 text-ink-3">
				{ratesWords(inCurrency)} {RATES}
			</p>
			<PaperTable aria-label={`In ${currency}`}>
				{groups.map(({ title, rows }) => (
					<tbody key={title}>
						<tr>
							<PTh scope="rowgroup" className="pt-3">
								{title}
							</PTh>
							<PTh n>{currency}</PTh>
						</tr>
						{rows.map(({ label, micro, isTotal = false }) => (
							<PTr key={label} strong={isTotal}>
								<PTd>{label}</PTd>
								<PTd n className="tabular">
									{formatMoney(micro, "posted").replace("$", "")}
								</PTd>
							</PTr>
						))}
					</tbody>
				))}
			</PaperTable>
		</Section>
	);
}
