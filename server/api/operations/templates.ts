import { template } from "#server/contract/template.ts";
import { quoteTemplate, runTemplate } from "#server/services/decision/template/run.ts";
import { getTemplate, listTemplates } from "#server/services/work/template/read.ts";
import { removeTemplate } from "#server/services/work/template/remove.ts";
import { saveTemplate } from "#server/services/work/template/save.ts";
import { bind, withStatus } from "./bind.ts";

export const templateOperations = {
	list: bind(template.list, listTemplates),
	get: bind(template.get, getTemplate),
	save: withStatus(bind(template.save, saveTemplate), ({ version }) => (version === 1 ? 201 : 200)),
	remove: bind(template.remove, (ctx, { id }) => removeTemplate(ctx, id)),
	quote: bind(template.quote, quoteTemplate),
	run: bind(template.run, runTemplate),
};
