import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export type CapacityKind = "owned" | "reserved" | "on_demand" | "spot";

export const CAPACITY_WORD: Record<CapacityKind, string> = { owned: "owned", reserved: "reserved", on_demand: "on-demand", spot: "spot" };

const SOLID: Record<CapacityKind, string> = { owned: "bg-owned", on_demand: "bg-cloud", spot: "hatch-spot", reserved: "bg-reserved" };
const OUTLINE: Record<CapacityKind, string> = {
	owned: "border-owned",
	on_demand: "border-cloud",
	spot: "border-dashed border-cloud",
	reserved: "border-reserved",
};

/** Solid: current location; outlined: expected location. Owned is cool, cloud warm, spot hatched, reserved dark. */
export function PlaceSwatch({ capacity, would = false, className }: { capacity: CapacityKind; would?: boolean; className?: string }) {
	return (
		<span
			aria-hidden
			className={cn(
				"mark-exact inline-block flex-none rounded-xs",
				would ? "size-2.25 border-[1.5px]" : "size-2",
				would ? OUTLINE[capacity] : SOLID[capacity],
				className,
			)}
		/>
	);
}

type PlaceProps = {
	capacity: CapacityKind;
	/** The site name for owned locations, the provider for clouds: "hall-b", "aws". */
	provider: string;
	region?: string | null;
	/** Expected, not current. */
	would?: boolean;
	/** Appends "spot", "on-demand" or "reserved"; nothing for owned. */
	word?: boolean;
	quiet?: boolean;
	children?: ReactNode;
	className?: string;
};

/** The current or expected location. */
export function Place({ capacity, provider, region, would = false, word = true, quiet = false, children, className }: PlaceProps) {
	return (
		<span className={cn("inline-flex items-center gap-1.5 align-top whitespace-nowrap [font-variant-numeric:normal]", className)}>
			<PlaceSwatch capacity={capacity} would={would} />
			<span className={would || quiet ? "font-book text-ink-2" : "font-strong"}>{region ? `${provider} ${region}` : provider}</span>
			{word && capacity !== "owned" && <span className="font-book text-ink-3">{CAPACITY_WORD[capacity]}</span>}
			{would && <span className="sr-only">(expected)</span>}
			{children}
		</span>
	);
}
