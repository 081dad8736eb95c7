"use client";
import { useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Far above the server's limit for a job file (256 KiB). Reading a model or an archive would freeze the page. */
const BYTES_MAX = 1024 * 1024;

/** Reads a job file from the disk. */
export function OpenFile({ onOpen }: { onOpen: (text: string) => void }) {
	const input = useRef<HTMLInputElement>(null);
	const read = async (file: File) => {
		if (file.size > BYTES_MAX) {
			notify({ tone: "failed", title: "Could not open the file", detail: `${file.name} has more than 1 MiB. Choose a job file.` });
			return;
		}
		try {
			onOpen(await file.text());
		} catch {
			notify({ tone: "failed", title: "Could not open the file", detail: `${file.name} could not be read. Choose it again.` });
		}
	};
	return (
		<>
			<input
				ref={input}
				type="file"
				aria-label="Job file"
				accept=".yaml,.yml,.json"
				hidden
				onChange={(event) => {
					const [file] = event.currentTarget.files ?? [];
					// Lets the user select the same file again.
					event.currentTarget.value = "";
					if (file) void read(file);
				}}
			/>
			<Button size="sm" onClick={() => input.current?.click()}>
				Open file
			</Button>
		</>
	);
}
