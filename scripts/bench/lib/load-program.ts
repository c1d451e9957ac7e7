/** Puts load on a server, in a process of its own. */
import { executeLoad } from './load.js';
import { answerCalls } from './remote.js';

answerCalls(executeLoad);
