"use client";
import { DraftInput } from "#components/ui/draft-input.tsx";
import { Field } from "#components/ui/input.tsx";
import { record } from "#server/domain/policy-entries.ts";
import type { FieldPath, FieldValue } from "./edit-field.ts";

const WEIGHTS = [
	["delayUsdPerHour", "Cost of one hour of delay ($)"],
	["carbonUsdPerTonne", "Cost of one tonne of CO2 ($)"],
] as const;

/** Ranking weights. */
export function WeightsCard({ spec, onEdit }: { spec: unknown; onEdit: (path: FieldPath, value: FieldValue | undefined) => void }) {
	const weights = record(record(spec)["weights"]);
	return (
		<>
			<p className="border-y bg-sunken px-4 py-1.75 text-xs font-strong text-ink-3">Rank eligible candidates by cost, where</p>
			<div className="grid gap-x-3 gap-y-2.5 px-4 py-3 sm:grid-cols-2">
				{WEIGHTS.map(([name, label]) => {
					const value = weights[name];
					return (
						<Field key={name} label={label} htmlFor={`weight-${name}`}>
							<DraftInput
								id={`weight-${name}`}
								inputMode="decimal"
								autoComplete="off"
								placeholder="default"
								value={value === undefined || value === null ? "" : String(value)}
								onValue={(text) => {
									const trimmed = text.trim();
									if (trimmed !== "") onEdit(["spec", "weights", name], /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed);
								}}
							/>
						</Field>
					);
				})}
			</div>
		</>
	);
}
