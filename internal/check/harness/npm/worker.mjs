import { parentPort, workerData } from "node:worker_threads";

import { load } from "hailmark";

const { chatlink } = await load(workerData);
parentPort.postMessage(chatlink.buildUsernameLink("jane.doe"));
