import { cn } from "#components/ui/cn.ts";

/** One icon set on a 16 px grid with 1.4 px strokes, to match 13 px text. */
const PATHS = {
	overview: "M2 13V8m4 5V3m4 10V6m4 7v-3",
	jobs: "M2.5 4h11M2.5 8h11M2.5 12h7",
	performance: "M2.500 11.500a5.800 5.800 0 1 1 11 0M8 10.500 10.800 6",
	pipelines: "M2 4h4v3H2zM10 2h4v3h-4zM10 10h4v3h-4zM6 5.500h2V3.500h2M8 5.500v6h2",
	sweeps: "M3 12.500h.01M5.500 7h.01M8 9.500h.01M10.500 4.500h.01M13 8h.01M2 14h12M2 14V2",
	triggers: "M9 1.500 3.500 9H8l-1 5.500L12.500 7H8z",
	policies: "M8 1.8 13.5 4v4c0 3.2-2.3 5.3-5.5 6.3C4.8 13.3 2.500 11.200 2.500 8V4z",
	approvals: "m3 8.500 3 3 7-7",
	budgets: "M13.800 8A5.800 5.800 0 1 1 2.200 8a5.800 5.800 0 0 1 11.600 0ZM8 2.200V8l4 4",
	spend: "M2 13.500h12M3.500 11V7.500M7 11V3M10.500 11V5.500M13 11V8",
	carbon: "M13 3c-7 0-9.500 3.500-9.500 7.500C3.500 12 4.500 13 6 13c4.500 0 7-4 7-10zM3 14c1-3 3-5 6-6.500",
	statements: "M4 1.800h5.500L12.500 5v9.200H4zM6 7h4M6 9.500h4",
	plan: "M2 13c3-1 4-7 6-7s3 4 6-3",
	capacity: "M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.01M5 11h.01",
	audit: "M8 4.500V8l2.500 1.500M13.800 8A5.800 5.800 0 1 1 2.200 8a5.800 5.800 0 0 1 11.600 0Z",
	settings:
		"M3 4.500h6m3 0h1M3 11.500h1m3 0h6M12 4.500a1.500 1.500 0 1 1-3 0 1.500 1.500 0 0 1 3 0ZM7 11.500a1.500 1.500 0 1 1-3 0 1.500 1.500 0 0 1 3 0Z",
	user: "M10.700 5.500a2.700 2.700 0 1 1-5.400 0 2.700 2.700 0 0 1 5.400 0ZM2.800 14c.6-3 2.600-4.300 5.200-4.300s4.600 1.300 5.200 4.300",
	search: "M11.500 7a4.500 4.500 0 1 1-9 0 4.500 4.500 0 0 1 9 0ZM10.500 10.500l3 3",
	plus: "M8 3.500v9M3.500 8h9",
	check: "m3.500 8.500 3 3 6-7",
	x: "m4 4 8 8m0-8-8 8",
	chevronDown: "m4.500 6.500 3.500 3.500 3.500-3.500",
	chevronRight: "m6.500 4.500 3.500 3.500-3.500 3.500",
	chevronLeft: "M9.500 4.500 6 8l3.500 3.500",
	arrowUp: "M8 12.500v-9M4.500 7 8 3.500 11.500 7",
	arrowDown: "M8 3.500v9M4.500 9 8 12.500 11.500 9",
	arrowRight: "M3.500 8h9M9 4.500 12.500 8 9 11.500",
	copy: "M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1",
	download: "M8 2.500v8M4.500 7.500 8 11l3.500-3.500M2.500 13.500h11",
	external: "M6.500 3.500h-3v9h9v-3M9 3h4v4M12.500 3.500 7.500 8.500",
	refresh: "M13 8a5 5 0 1 1-1.500-3.500M13 2.500v2.500h-2.500",
	alert: "M8 2.500 14.500 13.500h-13zM8 6.500v3.200M8 11.700v.1",
	info: "M13.800 8A5.800 5.800 0 1 1 2.200 8a5.800 5.800 0 0 1 11.600 0ZM8 7.300v3.700M8 5v.1",
	lock: "M3.500 7.500h9v6h-9zM5.500 7.500v-2a2.500 2.500 0 0 1 5 0v2",
	sun: "M10.500 8a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0ZM8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1.100 1.100M11.500 11.500l1.100 1.100M12.600 3.400l-1.100 1.100M4.500 11.500l-1.100 1.100",
	moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500Z",
	system: "M2.500 3h11v8h-11zM6 13.500h4M8 11v2.500",
	keyboard: "M1.800 4.500h12.400v7.500H1.800zM4.500 7h.01M7 7h.01M9.500 7h.01M12 7h.01M5.500 9.700h5",
	signOut: "M6.500 3.500h-3v9h3M7 8h6.500M11 5.500 13.500 8 11 10.500",
	more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
	menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
	stop: "M4.500 4.500h7v7h-7z",
	filter: "M2.500 4h11M4.500 8h7M6.500 12h3",
	columns: "M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10",
	upload: "M8 10.500v-8M4.500 6 8 2.500 11.500 6M2.500 13.500h11",
	question: "M5.800 6a2.200 2.200 0 1 1 3.200 2c-.7.400-1 .8-1 1.600M8 12.300v.1",
} as const;

export type IconName = keyof typeof PATHS;

type IconProps = {
	name: IconName;
	className?: string /** Only for an icon that carries meaning without text. */;
	label?: string;
};

export function Icon({ name, className, label }: IconProps) {
	const heavy = name === "more" || name === "capacity" || name === "keyboard";
	return (
		// biome-ignore lint/a11y/noSvgWithoutTitle: it is hidden, or has its name as aria-label.
		<svg
			viewBox="0 0 16 16"
			fill="none"
			stroke="currentColor"
			strokeWidth={heavy ? 1.6 : 1.4}
			strokeLinecap="round"
			strokeLinejoin="round"
			className={cn("size-4 flex-none", className)}
			{...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
		>
			<path d={PATHS[name]} />
		</svg>
	);
}
