import { trigger } from "#server/contract/trigger.ts";
import { createTrigger } from "#server/services/work/trigger/create.ts";
import { deleteTrigger, listTriggers, setTriggerEnabled } from "#server/services/work/trigger/manage.ts";
import { bind } from "./bind.ts";

export const triggerOperations = {
	create: bind(trigger.create, createTrigger),
	list: bind(trigger.list, listTriggers),
	enable: bind(trigger.enable, (ctx, { id, ...input }) => setTriggerEnabled(ctx, id, input)),
	remove: bind(trigger.remove, (ctx, { id }) => deleteTrigger(ctx, id)),
};
