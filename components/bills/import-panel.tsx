"use client";
import { type DragEvent, useId, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog } from "#components/ui/dialog.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { PreviewTables } from "./preview-tables.tsx";
import { useBillImport } from "./use-bill-import.ts";

/** Imports a dropped or selected bill: shows its differences, and posts them on confirmation. */
export function ImportPanel() {
	const id = useId();
	const { fileName, progress, preview, busy, error, read, post, close } = useBillImport();
	const [over, setOver] = useState(false);
	const drop = (event: DragEvent) => {
		event.preventDefault();
		setOver(false);
		const [file] = event.dataTransfer.files;
		if (file) read(file);
	};
	return (
		<>
			{/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the file field inside */}
			<div
				onDragOver={(event) => {
					event.preventDefault();
					setOver(true);
				}}
				onDragLeave={() => setOver(false)}
				onDrop={drop}
				className={cn(
					"flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-dashed border-line-strong px-4 py-3 text-ink-2",
					over && "border-accent bg-sunken",
				)}
			>
				<Icon name="upload" className="text-ink-3" />
				<label htmlFor={id} className="cursor-pointer font-strong text-ink underline underline-offset-4">
					Import bill
				</label>
				<input
					id={id}
					type="file"
					accept=".csv,.gz,text/csv,application/gzip"
					className="sr-only"
					onChange={(event) => {
						const [file] = event.currentTarget.files ?? [];
						// Lets the user select the same file again.
						event.currentTarget.value = "";
						if (file) read(file);
					}}
				/>
				<span>or drop a FOCUS file here (CSV or gzip)</span>
			</div>
			<Dialog
				open={fileName !== null}
				onClose={close}
				title={`Import ${fileName ?? ""}`}
				description={
					preview?.alreadyImported ? "This file was imported before. Importing it again changes nothing." : "Nothing is posted yet."
				}
				className="max-w-220"
				actions={
					<>
						<Button onClick={close}>Cancel</Button>
						<Button variant="primary" busy={busy} disabled={preview === null} onClick={post}>
							Import and post
						</Button>
					</>
				}
			>
				{error && (
					<p role="alert" className="mb-3 text-risk-ink">
						{error}
					</p>
				)}
				{progress && (
					<p role="status" className="tabular mb-3 text-ink-2">
						{progress}
					</p>
				)}
				{preview ? <PreviewTables preview={preview} /> : !error && <TextSkeleton lines={5} label="Comparing with the ledger" />}
			</Dialog>
		</>
	);
}
