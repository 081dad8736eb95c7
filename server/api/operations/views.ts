import { view } from "#server/contract/view.ts";
import { createView, deleteView, updateView } from "#server/services/work/view/change.ts";
import { listViews } from "#server/services/work/view/list.ts";
import { bind } from "./bind.ts";

export const viewOperations = {
	list: bind(view.list, listViews),
	create: bind(view.create, createView),
	update: bind(view.update, updateView),
	delete: bind(view.delete, (ctx, { id }) => deleteView(ctx, id)),
};
