"use client";
import { type AvoidedRow, prepareAvoided } from "#components/carbon/prepare-avoided.ts";
import { type CarbonView, chargesOf } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { Carbon } from "#components/emissions/carbon.tsx";
import { isEstimate } from "#components/emissions/quality.ts";
import { Drill } from "#components/spend/cells.tsx";
import { FILL_CLASS, type MarkFill } from "#components/ui/meter.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";

/** CO2 avoided or added by bursting, each against a stated counterfactual. */
export function AvoidedPanel({ view }: { view: CarbonView }) {
	const { avoided, groups } = useCarbon(view).page;
	const rows = prepareAvoided(avoided);
	const estimate = isEstimate(groups.totals.cloud);
	// Charges cannot be filtered by a comparison's jobs.
	const hrefOf = (row: AvoidedRow) => (row.id === "home" ? chargesOf(view, { part: "cloud" }) : null);
	return (
		<div className="flex min-w-0 flex-col pb-4">
			<PanelHeader title="Avoided by bursting" sub="estimate" />
			{rows.length === 0 ? (
				<p className="px-4 text-pretty text-ink-3">
					No comparison: no cloud job in this range has an alternative with known grid intensity.
				</p>
			) : (
				<div className="grid gap-5 px-4">
					{rows.map((row) => (
						<Row key={row.id} row={row} estimate={estimate} href={hrefOf(row)} />
					))}
				</div>
			)}
			<p className="mt-3 px-4 text-xs text-pretty text-ink-3">Excludes jobs that ran on owned GPUs.</p>
		</div>
	);
}

function Row({ row, estimate, href }: { row: AvoidedRow; estimate: boolean; href: string | null }) {
	const more = row.avoidedMilligrams < 0n;
	const amount = more ? -row.avoidedMilligrams : row.avoidedMilligrams;
	return (
		<section aria-label={row.other}>
			<div className="grid gap-1.5">
				<Bar term={row.other} milligrams={row.counterfactualMilligrams} width={row.counterfactualWidth} fill="idle" estimate />
				<Bar term="Actual" milligrams={row.actualMilligrams} width={row.actualWidth} fill="carbon" estimate={estimate} href={href} />
				<p className="flex items-baseline justify-between gap-3 border-t pt-1.5 font-semibold">
					{more ? "Added" : "Avoided"}
					<span className="num">
						<Carbon grams={Number(amount) / 1_000} estimate />
					</span>
				</p>
			</div>
			<details className="pt-1.5 text-xs text-ink-2">
				<summary className="cursor-pointer text-ink-3 hover:text-ink">Calculation</summary>
				<p className="pt-1 text-pretty">{row.calculation}</p>
			</details>
		</section>
	);
}

function Bar({
	term,
	milligrams,
	width,
	fill,
	estimate,
	href = null,
}: {
	term: string;
	milligrams: bigint;
	width: number;
	fill: MarkFill;
	estimate: boolean;
	href?: string | null;
}) {
	return (
		<div className="grid gap-0.5">
			<p className="flex justify-between gap-3">
				<span className="text-ink-2">{term}</span>
				<span className="num">
					<Drill href={href} what={term}>
						<Carbon grams={Number(milligrams) / 1_000} estimate={estimate} />
					</Drill>
				</span>
			</p>
			<span aria-hidden className={`mark-exact block h-2.5 min-w-px rounded-xs ${FILL_CLASS[fill]}`} style={{ width: `${width * 100}%` }} />
		</div>
	);
}
