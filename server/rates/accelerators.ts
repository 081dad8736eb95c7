import { z } from "zod";
import { defined } from "../kernel/assert.ts";
import raw from "./data/accelerators.json" with { type: "json" };
import { isoDate } from "./source.ts";

/** The canonical names. Every offer, pool and job uses one of these. */
export const ACCELERATOR_NAMES = [
	"H100-80GB",
	"H200-141GB",
	"B200-180GB",
	"MI300X-192GB",
	"A100-40GB",
	"A100-80GB",
	"A10G-24GB",
	"L4-24GB",
	"L40S-48GB",
	"T4-16GB",
	"V100-16GB",
	"V100-32GB",
] as const;
export type AcceleratorName = (typeof ACCELERATOR_NAMES)[number];
export const acceleratorName = z.enum(ACCELERATOR_NAMES);

const acceleratorSchema = z.strictObject({
	name: z.string(),
	/** As named by the vendor; its "GB" of HBM are GiB within 2%. */
	memoryGiB: z.number().int().positive(),
	/** Thermal design power of the board, W. */
	boardWatts: z.number().positive(),
	boardWattsSource: z.string().min(1),
	/** Idle and full load from Cloud Carbon Footprint, W; null when missing there. */
	minWatts: z.number().positive().nullable(),
	maxWatts: z.number().positive().nullable(),
	aliases: z.array(z.string().min(1)),
});
const fileSchema = z.strictObject({
	asOf: isoDate,
	sources: z.array(z.string()),
	accelerators: z.array(acceleratorSchema).min(1),
	families: z.record(z.string(), z.array(z.string()).min(2)),
});

export type AcceleratorFile = z.infer<typeof fileSchema>;
export type Accelerator = Omit<z.infer<typeof acceleratorSchema>, "name"> & { name: AcceleratorName; asOf: string };

interface Index {
	byName: Map<AcceleratorName, Accelerator>;
	/** Every spelling → the models it may mean. */
	byKey: Map<string, readonly AcceleratorName[]>;
}
let index: Index | undefined;

/** Spellings differ in case, spaces and underscores only: `NVIDIA A100-SXM4-80GB` is the label `NVIDIA-A100-SXM4-80GB`. */
function keyOf(name: string): string {
	return name
		.trim()
		.toLowerCase()
		.replace(/[\s_]+/g, "-");
}

function load(): Index {
	if (index) return index;
	const file = fileSchema.parse(raw);
	const byName = new Map<AcceleratorName, Accelerator>();
	const byKey = new Map<string, readonly AcceleratorName[]>();
	for (const entry of file.accelerators) {
		const name = acceleratorName.parse(entry.name);
		byName.set(name, { ...entry, name, asOf: file.asOf });
		for (const alias of [name, ...entry.aliases]) byKey.set(keyOf(alias), [name]);
	}
	for (const [family, names] of Object.entries(file.families)) byKey.set(keyOf(family), z.array(acceleratorName).parse(names));
	index = { byName, byKey };
	return index;
}

export function accelerator(name: AcceleratorName): Accelerator {
	return defined(load().byName.get(name), `accelerator ${name}`);
}

export function listAccelerators(): readonly Accelerator[] {
	return [...load().byName.values()];
}

/** The models that a name may mean: one for `H100` or `nvidia-l4`, two for `A100`, none for an unknown name. */
export function acceleratorsNamed(name: string): readonly AcceleratorName[] {
	return load().byKey.get(keyOf(name)) ?? [];
}

/** The one model that a name means; null when it is unknown or ambiguous. */
export function resolveAlias(name: string): AcceleratorName | null {
	const [first, ...others] = acceleratorsNamed(name);
	return first !== undefined && others.length === 0 ? first : null;
}
