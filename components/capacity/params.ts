import { createLoader, createSerializer, parseAsNumberLiteral, parseAsString } from "nuqs/server";

/** GPUs that one machine must have at least. */
export const OFFER_GPUS = [1, 2, 4, 8] as const;
export type OfferGpus = (typeof OFFER_GPUS)[number];
/** model: null is every model. */
export type OfferFilter = { gpus: OfferGpus; model: string | null };

const params = { gpus: parseAsNumberLiteral(OFFER_GPUS).withDefault(1), model: parseAsString };
export const loadCapacityParams = createLoader(params);
const serialize = createSerializer(params);
export const capacityHref = (values: OfferFilter): string => serialize("/sites", values);

/** Zones of one region are shown as one line (offers.ts), so more is read than is shown. */
export function offersQuery({ gpus, model }: OfferFilter) {
	return { gpus, ...(model === null ? {} : { accelerator: model.slice(0, 64) }), limit: 120 };
}

export const MACHINES_QUERY = { live: true, limit: 200 };
export const LINE_QUERY = { state: ["queued" as const, "held" as const], limit: 50 };
