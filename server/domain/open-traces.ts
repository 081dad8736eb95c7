/** Public traces included with Spillway; server/plan/open-traces/README.md has sources, changes and licenses. */
export const OPEN_TRACES = [
	{ name: "philly-ee9e8c", title: "Philly, one team, 15 weeks", source: "Microsoft Philly 2017, CC BY 4.0" },
	{ name: "philly-0e4a51", title: "Philly, another team, 15 weeks", source: "Microsoft Philly 2017, CC BY 4.0" },
	{ name: "philly-four-weeks", title: "Philly, all teams, 4 weeks", source: "Microsoft Philly 2017, CC BY 4.0" },
] as const;
export type OpenTraceName = (typeof OPEN_TRACES)[number]["name"];
export const OPEN_TRACE_NAMES = OPEN_TRACES.map(({ name }) => name) as [OpenTraceName, ...OpenTraceName[]];
