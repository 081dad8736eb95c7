import { z } from "zod";
import type { createChannelInput, updateChannelInput } from "#server/contract/inputs/channel.ts";
import type { CHANNEL_KINDS } from "#server/domain/alert.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** Services that read or write secrets receive the installation's own secret. */
export interface ChannelContext extends ServiceContext {
	secret: string;
}
export type CreateChannelInput = z.input<typeof createChannelInput>;
export type UpdateChannelInput = z.input<typeof updateChannelInput>;

export const channelSecretSchema = z.object({ url: z.string(), signingKey: z.string().nullable() });
export type ChannelSecret = z.infer<typeof channelSecretSchema>;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];
