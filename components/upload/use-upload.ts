import { useState } from "react";
import { formatDuration } from "#server/kernel/units.ts";
import { type FilePart, sendFile } from "./send-file.ts";

/** Sends files one after another, and says how far the current one is. */
export function useUpload(send: (part: FilePart) => Promise<{ id: string }>) {
	const [progress, setProgress] = useState<string | null>(null);
	const upload = async (file: File): Promise<string> => {
		const startedMs = performance.now();
		setProgress("Uploading.");
		try {
			return await sendFile(file, send, (share) => setProgress(describeProgress(share, performance.now() - startedMs)));
		} finally {
			setProgress(null);
		}
	};
	return { upload, progress };
}

/** "Uploading: 42%, about 10s left." */
export function describeProgress(share: number, tookMs: number): string {
	const leftMs = Math.ceil((tookMs * (1 - share)) / share / 1_000) * 1_000;
	return `Uploading: ${Math.floor(share * 100)}%, about ${formatDuration(leftMs)} left.`;
}
