import type { Args, Options } from "./args.ts";

/** Filters of `spend` and `charges`, each named as its field of the API. */
export const FILTER_OPTIONS: Options = Object.fromEntries(
	[
		["team", "TEAM"],
		["project", "PROJECT"],
		["class", "CLASS"],
		["provider", "PROVIDER"],
		["region", "REGION"],
		["capacity", "TYPE"],
		["accelerator", "MODEL"],
		["site", "SITE"],
		["kind", "KIND"],
	].map(([name = "", value = ""]) => [name, { value, many: true as const, help: `only this ${name}; may be repeated; "" for none` }]),
);

/** As a request's query. */
export function filterQuery(args: Args): Record<string, string[]> {
	const given = Object.keys(FILTER_OPTIONS).filter((name) => args.has(name));
	return Object.fromEntries(given.map((name) => [name === "capacity" ? "capacityType" : name, args.list(name)]));
}
