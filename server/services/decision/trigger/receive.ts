import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { notify } from "#server/db/notify.ts";
import { trigger } from "#server/db/schema/trigger.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { openSecret } from "#server/services/notification/channel/secret-box.ts";
import { verifySignature } from "#server/services/notification/delivery/signature.ts";
import type { QuoteContext } from "../pipeline/quote.ts";
import { prepareFiring, writeFiring } from "./fire.ts";

const eventSchema = z.looseObject({
	specversion: z.literal("1.0"),
	id: z.string().min(1).max(256),
	source: z.string().min(1).max(1024),
	type: z.string().min(1).max(256),
	subject: z.string().max(1024).optional(),
});

export interface ReceivedEvent {
	triggerId: string;
	/** The signed body, as sent. */
	body: string;
	/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`. */
	signature: string | null;
}

/**
 * Fires a webhook trigger for a signed CloudEvent in structured mode. An event sent again, with the same source and id, is accepted and
 * fires nothing.
 * @throws SpillwayError `unauthenticated` for an unknown trigger, a wrong signature or one older than five minutes, without distinguishing
 * them; `invalid_input` for a body that is not a CloudEvent
 */
export async function receiveEvent(
	ctx: QuoteContext & { secret: string },
	{ triggerId, body, signature }: ReceivedEvent,
): Promise<{ fired: boolean; why: string | null }> {
	const [row] = await ctx.db
		.select()
		.from(trigger)
		.where(and(eq(trigger.id, triggerId), isNull(trigger.deletedAt)));
	const source = row?.spec.source;
	const key = row?.sealedSecret ? openSecret(ctx.secret, row.id, row.sealedSecret) : null;
	if (!row || source?.kind !== "webhook" || key === null || !verifySignature(key, body, signature ?? "", ctx.clock.nowMs()))
		throw new SpillwayError("unauthenticated", "The signature is wrong or older than five minutes.", {
			fix: "Sign the body with the trigger's key: docs/triggers.md.",
		});
	const event = parseEvent(body);
	if (!row.enabled) return { fired: false, why: "The trigger is disabled." };
	if (source.types.length > 0 && !source.types.includes(event.type))
		return { fired: false, why: `Events of type ${event.type} do not fire it.` };
	const { id, type, source: from, subject } = event;
	const saw = {
		time: new Date(ctx.clock.nowMs()).toISOString(),
		event: { id, type, source: from, ...(subject !== undefined && { subject }) },
	};
	const prepared = await prepareFiring(ctx, row, { key: `${from} ${id}`, saw });
	const fired = await ctx.db.transaction(async (tx) => {
		const isNew = await writeFiring(tx, ctx, row, prepared);
		if (isNew) await notify(tx, { wake: true, changes: [{ topic: "pipeline", id: null, team: row.team }] });
		return isNew;
	});
	return { fired, why: fired ? prepared.error : "This event has fired it already." };
}

function parseEvent(body: string): z.output<typeof eventSchema> {
	let value: unknown;
	try {
		value = JSON.parse(body);
	} catch {
		value = null;
	}
	const parsed = eventSchema.safeParse(value);
	if (parsed.success) return parsed.data;
	throw new SpillwayError("invalid_input", "The body is not a CloudEvent in structured mode (specversion 1.0).", {
		fix: "Send application/cloudevents+json with specversion, id, source and type.",
	});
}
