import { cn } from "#components/ui/cn.ts";

const HEIGHT = 48;

/** Daily difference around a zero line: above is more, below is less. Days without comparable data are gaps. */
export function DayBars({
	days,
	label,
	tone,
	text,
}: {
	days: readonly (number | null)[];
	label: string;
	tone: string;
	text: (value: number) => string;
}) {
	const values = days.map((v) => v ?? 0);
	const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
	const span = most - least;
	if (span === 0) return <p className="flex h-12 items-center text-xs text-ink-3">no daily difference</p>;
	const largest = values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
	const zero = (most / span) * HEIGHT;
	return (
		<svg
			role="img"
			aria-label={`${label}: daily difference over ${days.length} days, largest ${text(largest)}`}
			viewBox={`0 0 ${days.length} ${HEIGHT}`}
			preserveAspectRatio="none"
			className={cn("block h-12 w-full", tone)}
		>
			{values.map((value, i) =>
				value === 0 ? null : (
					<rect
						// biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
						key={i}
						x={i + 0.12}
						width={0.76}
						y={value > 0 ? zero - (value / span) * HEIGHT : zero}
						height={Math.max(1, (Math.abs(value) / span) * HEIGHT)}
						fill="currentColor"
					/>
				),
			)}
			<rect x={0} y={zero - 0.5} width={days.length} height={1} className="fill-line-strong" />
		</svg>
	);
}
