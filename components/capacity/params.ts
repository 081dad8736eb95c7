import { createLoader, createSerializer, parseAsNumberLiteral, parseAsString } from "nuqs/server";

/** Minimum GPUs per machine. */
export const OFFER_GPUS = [1, 2, 4, 8] as const;
export type OfferGpus = (typeof OFFER_GPUS)[number];
/** model null: all models. */
export type OfferFilter = { gpus: OfferGpus; model: string | null };

const params = { gpus: parseAsNumberLiteral(OFFER_GPUS).withDefault(1), model: parseAsString };
export const loadCapacityParams = createLoader(params);
const serialize = createSerializer(params);
export const capacityHref = (values: OfferFilter): string => serialize("/sites", values);

/** Reads more than is shown because zones of a region are merged (offers.ts). */
export function offersQuery({ gpus, model }: OfferFilter) {
	return { gpus, ...(model === null ? {} : { accelerator: model.slice(0, 64) }), limit: 120 };
}

export const MACHINES_QUERY = { live: true, limit: 200 };
export const LINE_QUERY = { state: ["queued" as const, "held" as const], limit: 50 };
