"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { notify } from "#components/ui/toast.tsx";
import { hrefOfView, isChanged, queryOf, type SavedView } from "./saved-views.ts";
import { jobSearchParams } from "./search-params.ts";
import { ViewDialog } from "./view-dialog.tsx";

/** Saves the list's filters, sort and columns as a named view, and changes the current one. */
export function ViewMenu({ current }: { current: SavedView | null }) {
	const [search] = useQueryStates(jobSearchParams);
	const [dialog, setDialog] = useState<"save" | "edit" | "delete" | null>(null);
	const { refresh, update } = useViewChanges();
	const router = useRouter();
	const mine = current?.isMine ? current : null;
	const close = () => setDialog(null);
	const saveChanges = (view: SavedView) =>
		update.mutate({ id: view.id, query: queryOf(search) }, { onSuccess: () => notify({ tone: "done", title: `${view.name} updated` }) });
	return (
		<>
			<Menu
				label="View"
				name="View actions"
				variant="quiet"
				align="end"
				entries={[
					...(mine && isChanged(search, mine)
						? [{ kind: "item" as const, id: "update", label: `Update ${mine.name}`, onSelect: () => saveChanges(mine) }]
						: []),
					{ kind: "item", id: "save", label: "Save as new view", onSelect: () => setDialog("save") },
					{ kind: "item", id: "copy", label: "Copy link", onSelect: () => void copyLink() },
					...(mine
						? [
								{ kind: "line" as const, id: "line" },
								{ kind: "item" as const, id: "edit", label: "Rename or share", onSelect: () => setDialog("edit") },
								{ kind: "item" as const, id: "delete", label: "Delete view", tone: "risk" as const, onSelect: () => setDialog("delete") },
							]
						: []),
				]}
			/>
			{dialog === "save" && (
				<ViewDialog
					view={null}
					query={queryOf(search)}
					onClose={close}
					onSaved={async (view) => {
						await refresh();
						close();
						router.push(hrefOfView(view), { scroll: false });
					}}
				/>
			)}
			{dialog === "edit" && mine && (
				<ViewDialog
					view={mine}
					query={mine.query}
					onClose={close}
					onSaved={async () => {
						await refresh();
						close();
					}}
				/>
			)}
			{dialog === "delete" && mine && <DeleteView view={mine} onClose={close} />}
		</>
	);
}

function DeleteView({ view, onClose }: { view: SavedView; onClose: () => void }) {
	const trpc = useTRPC();
	const router = useRouter();
	const { refresh } = useViewChanges();
	const remove = useMutation(
		trpc.view.delete.mutationOptions({
			onSuccess: async () => {
				router.push(view.query === "" ? "/jobs" : `/jobs?${view.query}`, { scroll: false });
				await refresh();
				onClose();
			},
			onError: (error) => notify({ tone: "failed", title: `Could not delete ${view.name}`, detail: describeError(error).detail }),
		}),
	);
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Delete ${view.name}?`}
			description={view.team ? `Team ${view.team} loses it too.` : undefined}
			actions={
				<>
					<Button onClick={onClose}>Keep</Button>
					<Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate({ id: view.id })}>
						Delete view
					</Button>
				</>
			}
		/>
	);
}

function useViewChanges() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const refresh = () => client.invalidateQueries({ queryKey: trpc.view.pathKey() });
	const update = useMutation(
		trpc.view.update.mutationOptions({
			onSuccess: refresh,
			onError: (error) => notify({ tone: "failed", title: "Could not update the view", detail: describeError(error).detail }),
		}),
	);
	return { refresh, update };
}

async function copyLink(): Promise<void> {
	try {
		await navigator.clipboard.writeText(window.location.href);
		notify({ tone: "done", title: "Link copied" });
	} catch {
		notify({ tone: "failed", title: "Could not copy the link", detail: "Copy it from the address bar." });
	}
}
