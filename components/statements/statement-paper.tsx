import { Carbon } from "#components/emissions/carbon.tsx";
import { Money } from "#components/money/money.tsx";
import { BrandMark } from "#components/shell/brand.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { CarbonSection } from "#components/statements/carbon-section.tsx";
import { CurrencySection } from "#components/statements/currency-section.tsx";
import { statementDrill } from "#components/statements/drill.ts";
import { ItemsSection } from "#components/statements/items-section.tsx";
import { LinesSection } from "#components/statements/lines-section.tsx";
import { BillsSection, BudgetsSection } from "#components/statements/money-sections.tsx";
import { None } from "#components/statements/paper.tsx";
import { gpuHours, shortHash } from "#components/statements/prepare-statement.ts";
import { SavingsSection, WasteSection } from "#components/statements/savings-sections.tsx";
import { JobsSection, SharesSection } from "#components/statements/shares-sections.tsx";
import { CorrectionSection, SignOffSection } from "#components/statements/sign-off-section.tsx";
import type { StatementView } from "#components/statements/use-statement.ts";
import { formatExact } from "#components/time/format-time.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { monthWords, teamTitle } from "#server/domain/statement-words.ts";
import "#components/statements/print.css";

/** The printed statement, with sections in PDF order. */
export function StatementPaper({ view }: { view: StatementView }) {
	const { content, shown } = view;
	const title = `${teamTitle(content.team)}, ${monthWords(content.month)}`;
	return (
		<article
			aria-label={`Statement of compute cost, ${title}`}
			className="min-w-0 rounded-xl border bg-panel px-4 py-5 md:px-12 md:py-11 print:rounded-none print:border-0 print:p-0"
		>
			<header className="flex items-start gap-4 border-b-2 border-b-ink pb-5">
				<div className="min-w-0 flex-1">
					<h2 className="text-2xl font-bold tracking-tight">Statement of compute cost</h2>
					<p className="mt-0.5 text-md text-ink-2">{title}</p>
					{!shown && (
						<p className="mt-2 text-sm font-strong text-warn-ink">
							Preview: {view.over ? "month not closed yet" : "month in progress"}, amounts may change.
						</p>
					)}
				</div>
				<span className="flex flex-none items-center gap-1.5 font-semibold">
					<BrandMark className="size-4.5" /> Spillway
				</span>
			</header>
			<Head view={view} />
			<LinesSection content={content} />
			{content.team === "" && <SharesSection title="By team" by="team" label="Team" none="(no team)" content={content} />}
			{content.team === "" && <SharesSection title="By project" by="project" label="Project" none="(no project)" content={content} />}
			<ItemsSection content={content} />
			<CurrencySection view={view} />
			<SavingsSection content={content} />
			<WasteSection content={content} />
			<JobsSection content={content} />
			<BudgetsSection view={view} />
			<BillsSection view={view} />
			<CarbonSection content={content} />
			<CorrectionSection view={view} />
			<SignOffSection view={view} />
			<footer className="mt-8 flex flex-wrap justify-between gap-x-6 gap-y-1 border-t pt-2.5 text-2xs text-ink-3">
				<span>
					ST-{content.month}
					{content.team && `-${content.team}`},{" "}
					{shown ? `version ${shown.version}, closed ${formatExact(shown.closedAt.getTime())}` : "preview, not closed"}
				</span>
				<span>
					{formatCount(content.charges)} charges{shown && `, sha256 ${shortHash(shown.sha256)}`}
				</span>
			</footer>
		</article>
	);
}

function Head({ view }: { view: StatementView }) {
	const { content } = view;
	const { totals, sides, carbon } = content;
	const side = (key: "owned" | "cloud") => sides.find((s) => s.key === key)?.sums;
	const hours = (key: "owned" | "cloud") => gpuHours(side(key)?.gpuMs ?? "0");
	const grams = (BigInt(carbon.operationalMilligrams) + BigInt(carbon.embodiedMilligrams)) / 1_000n;
	return (
		<div className="border-b py-4">
			<FactStrip columns="1.5fr 1.2fr 1.2fr 1fr" framed={false} className="md:grid-cols-4! print:grid-cols-4!">
				<Fact label="Total for the month" lead wide note="US dollars, effective cost">
					<Drill href={statementDrill(content)} what="Total for the month">
						<Money value={totals.effectiveMicroUsd} />
					</Drill>
				</Fact>
				<Fact label="Owned hardware" note={hours("owned") ? `${hours("owned")} GPU-hours, including idle` : "none"}>
					<Drill href={side("owned") ? statementDrill(content, {}, { part: "home" }) : null} what="Owned hardware">
						<Money value={side("owned")?.effectiveMicroUsd ?? "0"} />
					</Drill>
				</Fact>
				<Fact label="Cloud, net of credits" note={hours("cloud") ? `${hours("cloud")} GPU-hours` : "none"}>
					<Drill href={side("cloud") ? statementDrill(content, {}, { part: "cloud" }) : null} what="Cloud">
						<Money value={side("cloud")?.effectiveMicroUsd ?? "0"} />
					</Drill>
				</Fact>
				<Fact label="CO2e" note="location-based, including embodied">
					{grams === 0n ? (
						<None>unknown</None>
					) : (
						<Drill href={statementDrill(content, {}, { of: "carbon" })} what="CO2e">
							<Carbon grams={grams} estimate />
						</Drill>
					)}
				</Fact>
			</FactStrip>
		</div>
	);
}
