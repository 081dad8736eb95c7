import { z } from "zod";
import { assert, defined } from "../kernel/assert.ts";
import raw from "./data/accelerator-embodied.json" with { type: "json" };
import { embodiedEmissions } from "./embodied.ts";
import { instanceFamilyOf } from "./family.ts";
import { listOffers, RATED_PROVIDERS, type RatedProvider } from "./offers.ts";
import { isoDate } from "./source.ts";

/**
 * maker: the manufacturer's own footprint; study: a third-party assessment of this model; modeled: a method applied
 * to it; generic: any card.
 */
const basisSchema = z.enum(["maker", "study", "modelled", "generic"]);

const fileSchema = z.strictObject({
	asOf: isoDate,
	lifetimeHours: z.number().int().positive(),
	lifetimeSource: z.string().min(1),
	host: z.strictObject({
		baseKg: z.number().positive(),
		secondCpuKg: z.number().positive(),
		includedMemoryGiB: z.number().positive(),
		memoryKg: z.number().positive(),
		memoryPerGiB: z.number().positive(),
		source: z.string().min(1),
		url: z.url(),
		licence: z.string().min(1),
	}),
	sources: z.record(z.string(), z.strictObject({ title: z.string().min(1), url: z.url(), asOf: isoDate })),
	accelerators: z.record(
		z.string(),
		z.strictObject({ kg: z.number().positive(), includesHost: z.boolean(), basis: basisSchema, source: z.string() }),
	),
	/** Why no figure is on record for a model. */
	unknown: z.record(z.string(), z.string().min(1)),
	unknownPower: z.record(z.string(), z.string().min(1)),
});
type EmbodiedFile = z.infer<typeof fileSchema>;

/** Manufacturing emissions of one accelerator, kg CO2e. */
export interface AcceleratorEmbodied {
	accelerator: string;
	kg: number;
	/** True: includes its share of tray and host. */
	includesHost: boolean;
	basis: z.infer<typeof basisSchema>;
	source: string;
	url: string;
	asOf: string;
}

/** Embodied emissions per GPU and hour of a machine. */
export interface EmbodiedShare {
	gramsPerGpuHour: number;
	basis: "server_table" | z.infer<typeof basisSchema>;
	source: string;
}

let loaded: EmbodiedFile | undefined;

function load(): EmbodiedFile {
	loaded ??= fileSchema.parse(raw);
	return loaded;
}

/** null: not published (embodiedUnknowns has the reason); show it as unknown, never as 0. */
export function acceleratorEmbodied(accelerator: string): AcceleratorEmbodied | null {
	const file = load();
	const entry = file.accelerators[accelerator];
	if (!entry) return null;
	const { title, url, asOf } = defined(file.sources[entry.source], `source of ${accelerator}`);
	return { accelerator, kg: entry.kg, includesHost: entry.includesHost, basis: entry.basis, source: title, url, asOf };
}

export function listAcceleratorEmbodied(): AcceleratorEmbodied[] {
	return Object.keys(load().accelerators).flatMap((name) => acceleratorEmbodied(name) ?? []);
}

/** Model → why no figure is on record. */
export function embodiedUnknowns(): Readonly<Record<string, string>> {
	return load().unknown;
}

/** Models without a published board power → the reason; their energy is unknown. */
export function unknownBoardPower(): Readonly<Record<string, string>> {
	return load().unknownPower;
}

/**
 * A cloud machine: from the table of whole servers if it has the type (shared by vCPUs), else GPUs × the model's
 * figure plus the host by Cloud Carbon Footprint's formula, shared by vCPUs with the family's largest type. Spread
 * evenly over 4 years. null when the model's figure or the host's size is unknown.
 */
export function embodiedOfMachine(machine: {
	provider: string;
	instanceType: string;
	accelerator: string;
	gpus: number;
}): EmbodiedShare | null {
	assert(machine.gpus > 0, "a machine without GPUs has no share by GPU");
	const provider = RATED_PROVIDERS.find((p) => p === machine.provider);
	if (!provider) return null;
	const table = embodiedEmissions(provider, machine.instanceType);
	if (table) return { gramsPerGpuHour: table.gramsPerHour / machine.gpus, basis: "server_table", source: table.source };
	const model = acceleratorEmbodied(machine.accelerator);
	if (!model) return null;
	const hostKg = model.includesHost ? 0 : hostShareKg(provider, machine.instanceType);
	return hostKg === null ? null : share(model, hostKg / machine.gpus);
}

/** A GPU at home: its model's figure plus its share of a two-socket server; memory is not recorded and not counted. */
export function embodiedOfHome(pool: { accelerator: string; gpusPerNode: number }): EmbodiedShare | null {
	const model = acceleratorEmbodied(pool.accelerator);
	// A host without GPUs has no share per GPU.
	if (!model || pool.gpusPerNode < 1) return null;
	const { host } = load();
	return share(model, model.includesHost ? 0 : (host.baseKg + host.secondCpuKg) / pool.gpusPerNode);
}

function share(model: AcceleratorEmbodied, hostKgPerGpu: number): EmbodiedShare {
	return { gramsPerGpuHour: ((model.kg + hostKgPerGpu) * 1_000) / load().lifetimeHours, basis: model.basis, source: model.source };
}

interface MachineSize {
	vcpus: number;
	memoryGiB: number;
}

/** By `provider/type`, and the largest of each `provider/family`. */
let sizes: { byType: Map<string, MachineSize>; largest: Map<string, MachineSize> } | undefined;

function machineSizes(): NonNullable<typeof sizes> {
	if (sizes) return sizes;
	sizes = { byType: new Map(), largest: new Map() };
	for (const provider of RATED_PROVIDERS) {
		for (const { instanceType, vcpus, memoryGiB } of listOffers(provider)) {
			sizes.byType.set(`${provider}/${instanceType}`, { vcpus, memoryGiB });
			const family = `${provider}/${instanceFamilyOf(provider, instanceType)}`;
			if (vcpus > (sizes.largest.get(family)?.vcpus ?? 0)) sizes.largest.set(family, { vcpus, memoryGiB });
		}
	}
	return sizes;
}

/** The share of an instance type in its server, without GPUs; null when its size is not on record. */
function hostShareKg(provider: RatedProvider, instanceType: string): number | null {
	const own = machineSizes().byType.get(`${provider}/${instanceType}`);
	const server = machineSizes().largest.get(`${provider}/${instanceFamilyOf(provider, instanceType)}`);
	if (!own || !server) return null;
	const { baseKg, secondCpuKg, includedMemoryGiB, memoryKg, memoryPerGiB } = load().host;
	const memory = Math.max(0, server.memoryGiB - includedMemoryGiB) * (memoryKg / memoryPerGiB);
	return (baseKg + secondCpuKg + memory) * (own.vcpus / server.vcpus);
}
