// Unpacks the Chromium that npm brings into the temp folder, in its own process: TMPDIR names the place.
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
