import { occupiesName } from "../machine.ts";
import { defineAction } from "./action.ts";
import { familyOf } from "./list-skus.ts";
import { COMPUTE_VERSION, PATHS } from "./paths.ts";

/** Display names, as in Azure's portal, of the quotas that count all machines of a region. */
const NAMES: Readonly<Record<string, string>> = {
	cores: "Total Regional vCPUs",
	lowPriorityCores: "Total Regional Low-priority vCPUs",
};

/** The account's quotas, with the cores of its machines in a region. Launches above a quota are not rejected. */
export const listUsages = defineAction<{ region: string }>({
	name: "usage.list",
	method: "GET",
	path: PATHS.usages,
	apiVersion: COMPUTE_VERSION,
	query: [],
	read: ({ path }) => ({ region: (path["location"] ?? "").toLowerCase() }),
	facts: ({ region }) => ({ region }),
	run({ region }, { world }) {
		const live = world.book.machines().filter((machine) => machine.region === region && occupiesName(machine));
		const cores = (key: string): number =>
			live.reduce((sum, { vmSize, spot }) => {
				const counts = key === "cores" ? !spot : key === "lowPriorityCores" ? spot : !spot && familyOf(vmSize) === key;
				return sum + (counts ? (world.catalog.sizeIn(region, vmSize)?.entry.vcpus ?? 0) : 0);
			}, 0);
		const value = Object.entries(world.options.coreQuotas).map(([key, limit]) => ({
			unit: "Count",
			currentValue: cores(key),
			limit,
			name: { value: key, localizedValue: NAMES[key] ?? key },
		}));
		return { status: 200, body: { value } };
	},
});
