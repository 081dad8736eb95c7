import { formatCarbonParts } from "#components/emissions/format-carbon.ts";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";

type CarbonProps = {
	grams: number | bigint;
	/** An estimate; shown with "≈". */
	estimate?: boolean;
	/** Shows "+" for positive differences. */
	signed?: boolean;
	className?: string;
};

/** Formats a sum of milligrams; "none" for zero. */
export function Grams({ milligrams, estimate = false }: { milligrams: bigint; estimate?: boolean }) {
	return milligrams === 0n ? <span className="text-ink-3">none</span> : <Carbon grams={Number(milligrams) / 1_000} estimate={estimate} />;
}

/** An amount of CO2. The unit is muted; hover shows grams. */
export function Carbon({ grams, estimate = false, signed = false, className }: CarbonProps) {
	const { value, unit } = formatCarbonParts(grams);
	return (
		<span
			title={`${formatCount(Number(grams))} g CO2${estimate ? ", estimated" : ""}`}
			className={cn("tabular whitespace-nowrap", className)}
		>
			{estimate && <span className="font-book text-ink-3">≈ </span>}
			{signed && grams > 0 && "+"}
			{value} <span className="font-book tracking-normal text-ink-3 [font-size:max(0.58em,min(1em,13px))]">{unit}</span>
		</span>
	);
}
