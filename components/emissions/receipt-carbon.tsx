"use client";
import type { ReactNode } from "react";
import { Carbon } from "#components/emissions/carbon.tsx";
import { formatEnergyParts, joinQuantity } from "#components/emissions/format-carbon.ts";
import { energyQuality, isEstimate } from "#components/emissions/quality.ts";
import type { ReceiptView } from "#components/trpc/outputs.ts";

/** A job's emissions: operational, embodied, and intensity by ISO/IEC 21031. */
export function ReceiptCarbon({ receipt }: { receipt: ReceiptView }) {
	const { totals, carbon } = receipt;
	const estimate = isEstimate(totals);
	const rows: { id: string; term: string; value: ReactNode; how: string }[] = [
		{
			id: "operational",
			term: "Operational",
			value: <Known milligrams={totals.emissionsMilligrams} estimate={estimate} />,
			how: `${joinQuantity(formatEnergyParts(Number(totals.energyMilliWh) / 1_000))}, ${energyQuality(totals)}; location-based`,
		},
		{
			id: "market",
			term: "Market-based",
			value: <Known milligrams={totals.marketEmissionsMilligrams} estimate={estimate} />,
			how: totals.marketEmissionsMilligrams === null ? "incomplete: no contract for part of it" : "market-based",
		},
		{
			id: "embodied",
			term: "Embodied",
			value: <Known milligrams={totals.embodiedMilligrams} estimate />,
			how: "machine manufacture, by time and GPUs",
		},
		{
			id: "sci",
			term: "Carbon intensity",
			value: <Known milligrams={carbon.milligramsPerGpuHour} estimate per=" per GPU-hour" />,
			how: "(operational + embodied) / GPU-hours, ISO/IEC 21031",
		},
	];
	return (
		<section aria-label="Job CO2" className="border-t px-4 py-3">
			<h3 className="pb-1.5 font-semibold">Job CO2</h3>
			<dl className="grid gap-x-4 gap-y-1.5 md:grid-cols-[auto_auto_minmax(0,1fr)]">
				{rows.map((row) => (
					<div key={row.id} className="grid grid-cols-[1fr_auto] gap-x-4 md:contents">
						<dt className="text-ink-2">{row.term}</dt>
						<dd className="num">{row.value}</dd>
						<dd className="text-xs text-pretty text-ink-3 max-md:col-span-2">{row.how}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}

function Known({ milligrams, estimate, per = "" }: { milligrams: bigint | null; estimate: boolean; per?: string }) {
	if (milligrams === null) return <span className="text-ink-3">unknown</span>;
	return (
		<>
			<Carbon grams={Number(milligrams) / 1_000} estimate={estimate} />
			{per && <span className="text-xs text-ink-3">{per}</span>}
		</>
	);
}
