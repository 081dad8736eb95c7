import { z } from "zod";
import { assert } from "../kernel/assert.ts";
import raw from "./data/embodied.json" with { type: "json" };
import { RATED_PROVIDERS, type RatedProvider } from "./offers.ts";
import { isoDate } from "./source.ts";

/** Manufacturing emissions of a machine, for one instance of it. */
export interface EmbodiedEmissions {
	/** Of the whole server, kg CO2e, and the part of its GPUs. */
	serverKg: number;
	gpusKg: number;
	/** The instance's share of the server, 0 to 1, by vCPUs. */
	share: number;
	/** g CO2e per hour of the instance: serverKg × share / lifetime. */
	gramsPerHour: number;
	lifetimeHours: number;
	source: string;
}

const fileSchema = z.strictObject({
	source: z.strictObject({ title: z.string().min(1), url: z.url(), licence: z.string().min(1), asOf: isoDate }),
	method: z.string().min(1),
	lifetimeHours: z.number().int().positive(),
	/** provider, instance type, kg of the server, kg of its GPUs, vCPUs, vCPUs of the family's largest type */
	rows: z
		.array(
			z.tuple([
				z.enum(RATED_PROVIDERS),
				z.string().min(1),
				z.number().positive(),
				z.number().nonnegative(),
				z.number().int().positive(),
				z.number().int().positive(),
			]),
		)
		.min(1),
});

let byType: Map<string, EmbodiedEmissions> | undefined;

function load(): Map<string, EmbodiedEmissions> {
	if (byType) return byType;
	const file = fileSchema.parse(raw);
	byType = new Map();
	for (const [provider, type, serverKg, gpusKg, vcpus, largest] of file.rows) {
		const share = vcpus / largest;
		assert(share <= 1 && gpusKg <= serverKg, `embodied.json: the row of ${provider} ${type} contradicts itself`);
		const gramsPerHour = (serverKg * 1000 * share) / file.lifetimeHours;
		byType.set(`${provider}/${type}`, {
			serverKg,
			gpusKg,
			share,
			gramsPerHour,
			lifetimeHours: file.lifetimeHours,
			source: file.source.title,
		});
	}
	return byType;
}

/** null: missing from every source (all of P5, G5, G6); show it as unknown, never as 0. */
export function embodiedEmissions(provider: RatedProvider, instanceType: string): EmbodiedEmissions | null {
	return load().get(`${provider}/${instanceType}`) ?? null;
}
